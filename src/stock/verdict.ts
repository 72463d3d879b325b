import { type Invariant, type Judgement, NOT_APPLICABLE } from '../contract/audit.js';
import { type Verdict } from '../contract/verdict.js';

/** What the ledger and the stores hold about one run, counted. */
export interface RunFacts {
  readonly initial: number;
  /** Left in MySQL, in all rows together. */
  readonly remaining: number;
  /** The part of `remaining` that is in segments. */
  readonly inSegments: number;
  /** Left in Redis, or null while Redis may not sell the goods. */
  readonly redisRemaining: number | null;
  /** Sold less returned. */
  readonly sold: number;
  readonly returned: number;
  /** Accepted, but not in the ledger yet; 0 once everything has drained. */
  readonly inFlight: number;
  /** Orders of the run that reserved their units in Redis. */
  readonly redisOrders: number;
  /** The lowest stock that any order left, by its own line. */
  readonly lowestAfter: number | null;
  /** Orders that did not start from the stock that the order before them left. */
  readonly brokenLinks: number;
  /** Returns without a sale of the same goods, run and quantity. */
  readonly unmatchedReturns: number;
  readonly duplicateKeys: number;
  readonly reusedLeases: number;
  /** The smallest quantity that was refused as sold out. */
  readonly smallestRefused: number | null;
  /** Orders that Redis accepted and MySQL refused; their buyers have receipts. */
  readonly brokenPromises: number;
}

/**
 * The Redis stock is judged only after it has been used. Strategies that sell from MySQL do not change it, so it would
 * seem to be ahead of MySQL.
 */
function redisStockOf({ redisRemaining, initial, redisOrders }: RunFacts): number | null {
  return redisRemaining === initial && redisOrders === 0 ? null : redisRemaining;
}

const count = (n: number, noun: string) => `${n} ${noun}${n === 1 ? '' : 's'}`;

/** A pure function of the facts, so that it can be tested with every kind of wrong ledger. */
export function judge(facts: RunFacts): Judgement {
  const { initial: I, remaining: R, inSegments, sold: S, inFlight: P } = facts;
  const inRow = R - inSegments;
  const G = redisStockOf(facts);
  const oversoldBy = Math.max(0, S - I);
  // Returns after the refusal, and orders in flight, may explain the stock: only what is left beyond them counts.
  const unclaimed = R - P - facts.returned;
  const falselyRefused = facts.smallestRefused !== null && unclaimed >= facts.smallestRefused;

  const invariants: Invariant[] = [
    { name: 'no-oversell', ok: S <= I, detail: `${S} sold, ${I} in stock` },
    {
      name: 'non-negative',
      // The Redis counter may be negative briefly: DECRBY runs before the compensating INCRBY.
      ok: inRow >= 0 && inSegments >= 0 && (facts.lowestAfter ?? 0) >= 0 && (G ?? 0) + P >= 0,
      detail: `lowest stock ${Math.min(inRow, facts.lowestAfter ?? inRow, (G ?? inRow) + P)}`,
    },
    {
      name: 'conservation-mysql',
      ok: R + S <= I && R + S + P >= I,
      detail: `${R} left + ${S} sold + ${P} in flight, of ${I}`,
    },
    {
      name: 'conservation-redis',
      ok: G === null || G + inSegments + S + P === I,
      detail:
        G === null
          ? `${NOT_APPLICABLE}the stock is not in Redis, or is changing`
          : `${G + inSegments} left + ${S} sold + ${P} in flight, of ${I}`,
    },
    {
      name: 'one-order-per-key',
      ok: facts.duplicateKeys === 0,
      detail: `${count(facts.duplicateKeys, 'key')} used twice`,
    },
    {
      name: 'lease-used-once',
      ok: facts.reusedLeases === 0,
      detail: `${count(facts.reusedLeases, 'lease')} used twice`,
    },
    {
      name: 'chain',
      ok: facts.brokenLinks === 0,
      detail: `${count(facts.brokenLinks, 'order')} started from stale stock`,
    },
    {
      name: 'returns-match-sales',
      ok: facts.unmatchedReturns === 0,
      detail: `${count(facts.unmatchedReturns, 'return')} without a sale of the same goods, run and quantity`,
    },
    {
      name: 'no-false-sold-out',
      ok: !falselyRefused,
      detail:
        facts.smallestRefused === null
          ? 'no purchase was refused as sold out'
          : `smallest quantity refused: ${facts.smallestRefused}; ${R} left, ${P} in flight, ${facts.returned} returned`,
    },
    {
      name: 'acknowledged-orders-kept',
      ok: facts.brokenPromises === 0,
      detail: `${count(facts.brokenPromises, 'accepted order')} not in the ledger`,
    },
  ];

  const verdict = ((): Verdict => {
    if (S > I) return 'OVERSOLD';
    if (R + S > I) return 'LOST-UPDATE';
    if (R + S + P < I || (G !== null && G + inSegments + S + P < I && R + S === I)) return 'LEAKED';
    if (G !== null && G > inRow) return 'GATE-AHEAD';
    if (facts.duplicateKeys > 0) return 'DUPLICATE';
    if (falselyRefused) return 'FALSE-SOLD-OUT';
    if (facts.brokenPromises > 0) return 'UNMATCHED';
    // The sums agree, but the history does not: errors that cancel each other out are errors.
    return invariants.every(({ ok }) => ok) ? 'SAFE' : 'LOST-UPDATE';
  })();
  return { verdict, oversoldBy, invariants };
}
