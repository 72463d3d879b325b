import { type ExplorationPlan } from './real-system.js';

/** Faults of the metadata that the end of a lease can cause. */
const PAUSES = ['pause', 'pause-both'];
/** Faults of the metadata that need nothing but several buyers. */
const CONCURRENCY = ['concurrency', 'several-instances'];

/** What the metadata of the strategy promises about this plan. */
export function expectationOf({ strategy, faults, instances }: ExplorationPlan): 'safe' | 'broken' {
  const { safe, breaksUnder } = strategy;
  if (safe === 'one-process') return instances > 1 ? 'broken' : 'safe';
  if (breaksUnder.some((fault) => CONCURRENCY.includes(fault))) return 'broken';
  if (faults === 'expire' && breaksUnder.some((fault) => PAUSES.includes(fault))) return 'broken';
  if (faults === 'expire-late' && RELEASES_FOREIGN_LOCK.includes(strategy.name)) return 'broken';
  return 'safe';
}

/** Once its sale is committed, a holder can do harm only by releasing the lock of the next holder. */
const RELEASES_FOREIGN_LOCK = ['setnx-blind-delete', 'setnx-check-delete'];
