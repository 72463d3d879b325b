import type { StrategyListing } from '../../src/contract/strategy.ts';
import type { Verdict } from '../../src/contract/verdict.ts';

/**
 * Whether a bad verdict fails the test. A load test injects no fault, so leases hold, and a strategy that is safe while the
 * lease holds must be safe. A strategy that is safe in one process only does not promise that for several instances.
 */
export function isHeldToSafety({ safe }: Pick<StrategyListing, 'safe'>, strict: boolean): boolean {
  return strict || safe === 'always' || safe === 'while-the-lease-holds';
}

/** The metrics that fail a test. */
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
