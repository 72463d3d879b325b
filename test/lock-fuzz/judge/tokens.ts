import { type Hold, type HoldGroup } from './holds.js';
import { type Violation } from './violation.js';

/** Tokens rise with every hold of a key; a nested entry has the token of its outer hold. */
export function tokens(groups: readonly HoldGroup[], holds: readonly Hold[]): Violation[] {
  return [...rising(groups), ...nested(holds)];
}

function rising(groups: readonly HoldGroup[]): Violation[] {
  const violations: Violation[] = [];
  for (const one of groups)
    for (const next of groups) {
      const [a, b] = [one.entries[0], next.entries[0]];
      if (a?.token === undefined || b?.token === undefined || a.key !== b.key || a === b) continue;
      if (a.token === b.token && a.call < b.call) violations.push(said(a, b, 'have the same token'));
      // A lease that was over when it arrived says nothing about the order.
      else if (a.valid && b.valid && one.to < next.from && a.token > b.token)
        violations.push(said(a, b, 'held one after the other, but the second has the smaller token'));
    }
  return violations;
}

function nested(holds: readonly Hold[]): Violation[] {
  return holds.flatMap((inner) => {
    const outer = holds.find(({ call, key }) => call === inner.within && key === inner.key);
    const inside = outer && inner.valid && outer.to > inner.from;
    return inside && outer.token !== inner.token
      ? [said(outer, inner, 'are an outer and a nested entry with different tokens')]
      : [];
  });
}

function said(a: Hold, b: Hold, what: string): Violation {
  return {
    invariant: 'tokens',
    key: a.key,
    sentence: `${a.call} (token ${String(a.token)}) and ${b.call} (token ${String(b.token)}) ${what}, key "${a.key}".`,
  };
}
