import { type Books, type Interval, isWrittenLater, type RunBook } from './books.js';

/** An order that Redis accepted is in MySQL within this time; a test of the consumer holds it to less. */
const WRITTEN_WITHIN_MS = 10_000;
/** After a fault, stock that left Redis and did not arrive is given back within this time. */
export const RECONCILED_WITHIN_MS = 15_000;

export interface StockBounds {
  readonly least: number;
  readonly most: number;
}

/**
 * What may have been left of a run at some moment of the interval: whatever surely ended before it counts, and
 * whatever began before its end may.
 */
export function stockBounds(
  books: Books,
  run: RunBook,
  { start, end }: Interval,
  seenIn: 'mysql' | 'redis',
): StockBounds {
  let least = run.initial;
  let most = run.initial;
  for (const row of run.rows) {
    if (row.kind === 'MOVE') continue;
    const call = books.intervalOf(row);
    const lateMs = seenIn === 'mysql' && isWrittenLater(row) ? WRITTEN_WITHIN_MS : 0;
    const faultMs = seenIn === 'redis' && books.faulty ? RECONCILED_WITHIN_MS : 0;
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
