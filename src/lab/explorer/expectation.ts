import { type Faults } from './injected-faults.js';
import { type ExplorationPlan } from './real-system.js';

/** Faults of the metadata that the end of a lease can cause. */
const PAUSES = ['pause', 'pause-both'];
/** Faults of the metadata that need nothing but several buyers. */
const CONCURRENCY = ['concurrency', 'several-instances'];

/** What the metadata of the strategy promises about this plan. */
export function expectationOf(plan: ExplorationPlan): 'safe' | 'broken' {
  const { strategy, faults, instances } = plan;
  const { safe, breaksUnder } = strategy;
  if (safe === 'one-process') return instances > 1 ? 'broken' : 'safe';
  if (breaksUnder.some((fault) => CONCURRENCY.includes(fault))) return 'broken';
  const has = (...kinds: readonly Faults[]) => faults === 'any' || kinds.includes(faults);
  if (has('expire') && breaksUnder.some((fault) => PAUSES.includes(fault))) return 'broken';
  // With a single buyer after the late release, nothing goes wrong.
  if (has('expire-late') && RELEASES_FOREIGN_LOCK.includes(strategy.name) && plan.buyers > 2) return 'broken';
  if (has('crash') && breaksUnder.includes('crash')) return 'broken';
  // With an idempotency key the second request gets the receipt of the first one.
  if (has('lost-reply') && !sendsKeys(plan) && breaksUnder.includes('lost-reply')) return 'broken';
  return 'safe';
}

/** The buyers of `idempotent` always do, as in the experiments: it is what the strategy is about. */
export function sendsKeys({ strategy, keys = false }: ExplorationPlan): boolean {
  return keys || strategy.name === 'idempotent';
}

/** Once its sale is committed, a holder can do harm only by releasing the lock of the next holder. */
const RELEASES_FOREIGN_LOCK = ['setnx-blind-delete', 'setnx-check-delete'];
