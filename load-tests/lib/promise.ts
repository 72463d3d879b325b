import type { StrategyListing } from '../../src/contract/strategy.ts';
import type { Verdict } from '../../src/contract/verdict.ts';

/**
 * Does a bad verdict fail the run? A load test breaks nothing, so a lease holds and a lock with one must do as
 * well as any. `one-process` says itself that several instances are too many for it.
 */
export function isHeldToSafety({ safe }: Pick<StrategyListing, 'safe'>, strict: boolean): boolean {
  return strict || safe === 'always' || safe === 'while-the-lease-holds';
}

/** The metrics that fail a run, by what they mean. */
export type Breach = 'oversold' | 'lost_update' | 'leaked' | 'not_safe';

export function breachOf(verdict: Verdict): Breach | undefined {
  switch (verdict) {
    case 'SAFE':
      return undefined;
    case 'OVERSOLD':
      return 'oversold';
    case 'LOST-UPDATE':
      return 'lost_update';
    case 'LEAKED':
      return 'leaked';
    default:
      return 'not_safe';
  }
}
