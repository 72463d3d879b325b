import { setTimeout as sleep } from 'node:timers/promises';
import { type Caller, type Nested } from '../plan/plan.js';
import { WorkFailed } from './reason.js';

interface NestedEntries {
  /** Rejects when the outer work shall fail. */
  readonly awaited: Promise<unknown>;
  /** Entries that may outlive the outer work. */
  readonly detached: readonly Promise<void>[];
}

/** Nested entries of a reentrant lock, made inside the outer work so that they inherit its async context. */
export function nestedEntries(
  { shape, delayMs, holdMs, leaseMs }: Nested,
  outer: Caller,
  enter: (suffix: string, inner: Caller) => Promise<void>,
): NestedEntries {
  const { client, keys, role, waitMs, readsSignal } = outer;
  const inner: Caller = {
    ...{ client, keys, role, waitMs, readsSignal, holdMs, leaseMs },
    ...{ startMs: 0, rounds: 1, via: 'using', end: 'release', releaseTwice: false },
  };
  const later = async (suffix: string) => {
    if (delayMs > 0) await sleep(delayMs);
    await enter(suffix, inner);
  };
  switch (shape) {
    case 'awaited':
      return { awaited: later('.nested'), detached: [] };
    case 'outlives':
      return { awaited: Promise.resolve(), detached: [later('.nested')] };
    case 'siblings': {
      const entries = [enter('.nested1', inner), enter('.nested2', inner)];
      const failing = async () => {
        if (delayMs > 0) await sleep(delayMs);
        throw new WorkFailed('A sibling failed.');
      };
      return { awaited: Promise.all([...entries, failing()]), detached: entries };
    }
  }
}
