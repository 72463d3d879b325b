import { type Item, outcomeOf, type SellCall } from '../history.js';
import { type IndexedEvidence, type IndexedRun } from './indexed-evidence.js';
import { RECONCILED_WITHIN_MS, stockBounds } from './stock-bounds.js';
import { type Violation } from './violation.js';

/** "Sold out" is answered only when, at some moment of the call, the stock was lower than the quantity. */
export function soldOut(index: IndexedEvidence): Violation[] {
  const inRedis = new Set(
    index.evidence.strategies.filter(({ stock }) => stock === 'redis').map(({ name }) => name),
  );
  return index.sells
    .filter(({ answer }) => answer?.type === 'sold-out')
    .flatMap((call) => {
      const lines = linesRefused(call).map((item) => falsely(index, call, item, inRedis));
      // When the answer names no goods, any line of the basket may have been refused.
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
  index: IndexedEvidence,
  call: SellCall,
  { goodsId, quantity }: Item,
  inRedis: ReadonlySet<string>,
): Violation | undefined {
  const runs = index.runsAt(goodsId, call);
  if (runs.length === 0 || runs.some(({ promised }) => !promised)) return undefined;
  const seenIn = inRedis.has(call.operation.strategy) ? 'redis' : 'mysql';
  const least = (run: IndexedRun) => stockBounds(index, run, call, seenIn).least;
  const taken = inFlight(index, call, goodsId, inRedis);
  const most = Math.min(...runs.map(least)) - taken;
  if (most < quantity) return undefined;
  const sentence =
    `Call #${call.n} wanted ${quantity} of goods ${goodsId} by ${call.operation.strategy} and was told that it is sold out, ` +
    `but at least ${most} were left during the whole call.`;
  return { promise: 'sold-out', sentence, goodsId, runId: runs[0]?.id, calls: [call] };
}

/** Units that other calls had taken in Redis, sold nothing in the end, and may not have returned yet. */
function inFlight(
  index: IndexedEvidence,
  call: SellCall,
  goodsId: number,
  inRedis: ReadonlySet<string>,
): number {
  return index.sells
    .filter((other) => other !== call && inRedis.has(other.operation.strategy) && outcomeOf(other) !== 'done')
    .filter((other) => {
      const heldMs = other.answer?.type === 'sold-out' ? 0 : RECONCILED_WITHIN_MS;
      return other.start <= call.end && other.end + heldMs >= call.start;
    })
    .flatMap(({ operation }) => operation.items)
    .filter((item) => item.goodsId === goodsId)
    .reduce((sum, { quantity }) => sum + quantity, 0);
}
