/** The verdicts of the shop's audit, worst first. A metric can only hold a number: the place in this list. */
export const VERDICTS = [
  'OVERSOLD',
  'LOST-UPDATE',
  'LEAKED',
  'GATE-AHEAD',
  'DUPLICATE',
  'FALSE-SOLD-OUT',
  'UNMATCHED',
  'SAFE',
] as const;
export type Verdict = (typeof VERDICTS)[number];

/** What `GET /strategies` says of a strategy, as far as a load test cares. */
export interface Strategy {
  readonly name: string;
  readonly safe: 'always' | 'while-the-lease-holds' | 'one-process' | 'never';
  readonly needs: readonly string[];
  readonly baskets: boolean;
  readonly available: boolean;
}

/**
 * Does a bad verdict fail the run? A load test breaks nothing, so a lease holds and a lock with one must do as
 * well as any. `one-process` says itself that several instances are too many for it.
 */
export function isHeldToSafety({ safe }: Pick<Strategy, 'safe'>, strict: boolean): boolean {
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
