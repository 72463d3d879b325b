import { type Item, outcomeOf, type SellCall } from '../history.js';
import { type Books, type RunBook } from './books.js';
import { RECONCILED_WITHIN_MS, stockBounds } from './stock-bounds.js';
import { type Violation } from './violation.js';

/** A call that is told "sold out" met, at some moment, less than it wanted. */
export function soldOut(books: Books): Violation[] {
  const inRedis = new Set(
    books.evidence.strategies.filter(({ stock }) => stock === 'redis').map(({ name }) => name),
  );
  return books.sells
    .filter(({ answer }) => answer?.type === 'sold-out')
    .flatMap((call) => {
      const lines = linesRefused(call).map((item) => falsely(books, call, item, inRedis));
      // Without a goods named, any line of the basket may have been the one.
      return lines.every((line) => line !== undefined) ? lines.slice(0, 1) : [];
    });
}

function linesRefused({ operation: { items }, answer }: SellCall): readonly Item[] {
  const named = (answer?.body as { goodsId?: number } | undefined)?.goodsId;
  const lines = items.filter(({ goodsId }) => goodsId === named);
  return lines.length > 0 ? lines : items;
}

/** The violation, or undefined when the refusal can be explained. */
function falsely(
  books: Books,
  call: SellCall,
  { goodsId, quantity }: Item,
  inRedis: ReadonlySet<string>,
): Violation | undefined {
  const runs = books.runsAt(goodsId, call);
  if (runs.length === 0 || runs.some(({ promised }) => !promised)) return undefined;
  const seenIn = inRedis.has(call.operation.strategy) ? 'redis' : 'mysql';
  const least = (run: RunBook) => stockBounds(books, run, call, seenIn).least;
  const taken = inFlight(books, call, goodsId, inRedis);
  const most = Math.min(...runs.map(least)) - taken;
  if (most < quantity) return undefined;
  const sentence =
    `Call #${call.n} wanted ${quantity} of goods ${goodsId} by ${call.operation.strategy} and was told that it is sold out, ` +
    `but at least ${most} were left during the whole call.`;
  return { promise: 'sold-out', sentence, goodsId, runId: runs[0]?.id, calls: [call] };
}

/** Taken from Redis by calls that sold nothing in the end, and perhaps not given back yet. */
function inFlight(books: Books, call: SellCall, goodsId: number, inRedis: ReadonlySet<string>): number {
  return books.sells
    .filter((other) => other !== call && inRedis.has(other.operation.strategy) && outcomeOf(other) !== 'done')
    .filter((other) => {
      const heldMs = other.answer?.type === 'sold-out' ? 0 : RECONCILED_WITHIN_MS;
      return other.start <= call.end && other.end + heldMs >= call.start;
    })
    .flatMap(({ operation }) => operation.items)
    .filter((item) => item.goodsId === goodsId)
    .reduce((sum, { quantity }) => sum + quantity, 0);
}
