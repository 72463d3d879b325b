import type { Verdict } from './verdict.js';

/** The detail of an invariant that does not apply begins with this; it then counts as ok. */
export const NOT_APPLICABLE = 'not applicable: ';

export interface Invariant {
  readonly name: string;
  readonly ok: boolean;
  readonly detail: string;
}

/** The verdict on the ledger and the stores of one run. */
export interface Judgement {
  readonly verdict: Verdict;
  readonly oversoldBy: number;
  readonly invariants: readonly Invariant[];
}

/** The answer to `GET /goods/:id/audit`. */
export interface Audit extends Judgement {
  readonly runId: number;
  readonly initial: number;
  /** Sold less returned. */
  readonly sold: number;
  /** Left in MySQL. */
  readonly remaining: number;
  /** Left in Redis, or null while Redis may not sell the goods or does not answer. */
  readonly redisRemaining: number | null;
  /**
   * Accepted in Redis and not in the ledger yet, or returned in the ledger and not in Redis yet; null while Redis does
   * not answer.
   */
  readonly inFlight: number | null;
  readonly orders: number;
}
