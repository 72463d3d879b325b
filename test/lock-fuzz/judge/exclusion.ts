import { type Hold, type HoldGroup } from './holds.js';
import { type Violation } from './violation.js';

/** Redis counts leases in whole milliseconds of a clock that it reads once per turn of its event loop. */
const CLOCK_TOLERANCE_MS = 5;

/** Never two holders of a key whose leases are both valid by their own clocks. Readers may hold together. */
export function exclusion(groups: readonly HoldGroup[]): Violation[] {
  const violations: Violation[] = [];
  for (const [index, one] of groups.entries())
    for (const other of groups.slice(index + 1)) {
      const clash = firstClash(one, other);
      if (clash) violations.push(clash);
    }
  return violations;
}

function firstClash(one: HoldGroup, other: HoldGroup): Violation | undefined {
  for (const a of one.entries)
    for (const b of other.entries) {
      if (a.key !== b.key || (a.role === 'reader' && b.role === 'reader') || !a.valid || !b.valid) continue;
      const overlap = Math.min(a.to, b.to) - Math.max(a.from, b.from);
      if (overlap > CLOCK_TOLERANCE_MS) return clashOf(a, b, overlap);
    }
  return undefined;
}

function clashOf(a: Hold, b: Hold, overlap: number): Violation {
  return {
    invariant: 'exclusion',
    key: a.key,
    sentence:
      `${a.call} (client ${a.client}, token ${String(a.token)}) and ${b.call} (client ${b.client}, ` +
      `token ${String(b.token)}) both held the key "${a.key}" for ${overlap.toFixed(1)} ms.`,
  };
}
