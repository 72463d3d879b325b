import { isDeepStrictEqual } from 'node:util';
import { outcomeOf, type ClientReceipt, receiptsOf, type SellCall } from '../history.js';
import { type IndexedEvidence, orderIdOf } from './indexed-evidence.js';
import { groupBy } from './group-by.js';
import { type Violation } from './violation.js';

/** A key sells once per goods and run; the same request is replayed, another one with the same key is refused. */
export function keys(index: IndexedEvidence): Violation[] {
  const keyed = index.sells.filter(({ operation }) => operation.key !== undefined);
  return [
    ...soldTwice(index),
    ...keyed.filter(({ answer }) => answer?.replayed).flatMap((call) => replayOfNothing(index, call)),
    ...keyed.flatMap((call) => receiptsOf(call).flatMap((receipt) => untrueOfCancel(index, call, receipt))),
    ...keyed
      .filter(({ answer }) => answer?.status === 422)
      .flatMap((call) => conflictWithNothing(index, call)),
  ];
}

function soldTwice(index: IndexedEvidence): Violation[] {
  const sales = index.evidence.ledger.filter(({ kind, key }) => kind === 'SALE' && key !== null);
  const same = groupBy(sales, ({ goodsId, runId, key }) => `${goodsId} ${runId} ${key ?? ''}`);
  return [...same.values()].flatMap((rows): Violation[] => {
    const [first] = rows;
    if (!first || rows.length < 2) return [];
    const ids = rows.map(orderIdOf).join(' and ');
    const sentence = `Key ${first.key ?? ''} sold goods ${first.goodsId} ${rows.length} times in one run (orders ${ids}).`;
    return [{ ...violation(first.goodsId, index.withKey(first.key), sentence), runId: first.runId }];
  });
}

/** A replay is the answer of an earlier, or concurrent, call with the same key and the same body. */
function replayOfNothing(index: IndexedEvidence, call: SellCall): Violation[] {
  const original = others(index, call).some(
    (other) => sameBody(other, call) && outcomeOf(other) !== 'refused' && !other.answer?.replayed,
  );
  if (original) return [];
  const sentence = `Call #${call.n} was answered with a replay, but no call with its key and its body can have been sold before.`;
  return [violation(call.operation.items[0]?.goodsId, [...others(index, call), call], sentence)];
}

/** A receipt says whether its order has been cancelled. During a concurrent cancel both answers are correct. */
function untrueOfCancel(
  index: IndexedEvidence,
  call: SellCall,
  { orderId, goodsId, cancelled }: ClientReceipt,
): Violation[] {
  const cancels = (index.cancelsOf.get(orderId) ?? []).filter((other) => outcomeOf(other) !== 'refused');
  const before = cancels.filter((other) => outcomeOf(other) === 'done' && other.end < call.start);
  const [sentence] = [
    ...(before.length > 0 && !cancelled
      ? [
          `Call #${call.n} was answered with the receipt of order ${orderId}, which does not say that the order had been cancelled.`,
        ]
      : []),
    ...(cancelled && !cancels.some(({ start }) => start < call.end)
      ? [`Call #${call.n} says that order ${orderId} was cancelled, but no call had asked for it.`]
      : []),
  ];
  return sentence === undefined ? [] : [violation(goodsId, [call], sentence)];
}

/** 422 says that the key was used for another request. After a reset, a part of the same basket is another request. */
function conflictWithNothing(index: IndexedEvidence, call: SellCall): Violation[] {
  const { items } = call.operation;
  const partlyReset =
    items.length > 1 &&
    items.some(({ goodsId }) => index.runsAt(goodsId, { start: 0, end: call.end }).length > 1);
  const used = others(index, call).filter((other) => outcomeOf(other) !== 'refused');
  if (used.some((other) => !isDeepStrictEqual(other.operation, call.operation) || partlyReset)) return [];
  const sentence = `Call #${call.n} was refused with 422, but its key can have sold nothing for another request.`;
  return [violation(items[0]?.goodsId, [...others(index, call), call], sentence)];
}

function others(index: IndexedEvidence, call: SellCall): readonly SellCall[] {
  return index.withKey(call.operation.key).filter((other) => other !== call && other.start < call.end);
}

/** A basket with one line is the same request as a single sale. */
function sameBody({ operation: a }: SellCall, { operation: b }: SellCall): boolean {
  return a.strategy === b.strategy && isDeepStrictEqual(a.items, b.items);
}

function violation(goodsId: number | undefined, calls: readonly SellCall[], sentence: string): Violation {
  return { promise: 'keys', sentence, goodsId, calls };
}
