import { type IndexedEvidence, type Interval, isWrittenLater, type IndexedRun } from './indexed-evidence.js';

/** An order that Redis accepted is in MySQL within this time; a test of the consumer requires a shorter time. */
const WRITTEN_WITHIN_MS = 10_000;
/** After a fault, units that were taken in Redis and not sold are returned within this time. */
export const RECONCILED_WITHIN_MS = 15_000;

export interface StockBounds {
  readonly least: number;
  readonly most: number;
}

/**
 * The lowest and the highest stock that a run can have had at some moment of the interval. An operation that ended before
 * the interval counts; one that began before its end may count.
 */
export function stockBounds(
  index: IndexedEvidence,
  run: IndexedRun,
  { start, end }: Interval,
  seenIn: 'mysql' | 'redis',
): StockBounds {
  let least = run.initial;
  let most = run.initial;
  for (const row of run.rows) {
    if (row.kind === 'MOVE') continue;
    const call = index.intervalOf(row);
    const lateMs = seenIn === 'mysql' && isWrittenLater(row) ? WRITTEN_WITHIN_MS : 0;
    const faultMs = seenIn === 'redis' && index.faulty ? RECONCILED_WITHIN_MS : 0;
    const begun = call.start <= end;
    const over = call.end + lateMs + faultMs < start;
    if (row.kind === 'SALE') {
      if (begun) least -= row.quantity;
      if (over) most -= row.quantity;
    } else {
      if (over) least += row.quantity;
      if (begun) most += row.quantity;
    }
  }
  return { least, most };
}
