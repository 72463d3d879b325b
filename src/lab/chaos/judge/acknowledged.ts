import { outcomeOf, type ClientReceipt, receiptsOf, type SellCall } from '../history.js';
import { type Acknowledgement, type IndexedEvidence } from './indexed-evidence.js';
import { type Violation } from './violation.js';

/** After 2xx the ledger has the order, once, as the receipt says. */
export function acknowledged(index: IndexedEvidence): Violation[] {
  const unreadable = index.sells
    .filter((call) => outcomeOf(call) === 'done')
    .filter((call) => receiptsOf(call).length !== call.operation.items.length)
    .map((call) =>
      violation(index, call, `Call #${call.n} was answered 2xx without a receipt for each of its lines.`),
    );
  const wrong = [...index.acknowledgements.values()].flat().flatMap((one) => againstLedger(index, one));
  return [...unreadable, ...wrong, ...repeated(index)];
}

function againstLedger(index: IndexedEvidence, { call, receipt }: Acknowledgement): Violation[] {
  const { orderId, goodsId } = receipt;
  const { strategy, key = null, items } = call.operation;
  const row = index.sales.get(orderId);
  const order = `Order ${orderId} (${strategy}, goods ${goodsId})`;
  if (!row) {
    return [
      violation(
        index,
        call,
        `${order} was acknowledged to call #${call.n}, but the ledger does not have it.`,
        receipt,
      ),
    ];
  }
  const wanted = items.find((item) => item.goodsId === row.goodsId);
  const same =
    row.goodsId === goodsId &&
    row.strategy === receipt.strategy &&
    row.quantity === receipt.quantity &&
    row.strategy === strategy &&
    row.quantity === wanted?.quantity &&
    row.key === key;
  if (!same) {
    const ledger = `${row.quantity} of goods ${row.goodsId} by ${row.strategy}, key ${row.key ?? 'none'}`;
    return [
      violation(
        index,
        call,
        `${order} was acknowledged to call #${call.n}, but the ledger says ${ledger}.`,
        receipt,
      ),
    ];
  }
  const remaining = row.told ?? row.after;
  if (remaining === receipt.remaining) return [];
  return [
    violation(
      index,
      call,
      `${order}: its receipt says ${receipt.remaining} left, the ledger ${remaining}.`,
      receipt,
    ),
  ];
}

/** One order is acknowledged to one call, or to several calls with its key. */
function repeated(index: IndexedEvidence): Violation[] {
  return [...index.acknowledgements].flatMap(([orderId, told]) => {
    const makers = told.filter(({ call }) => !call.answer?.replayed).map(({ call }) => call);
    if (makers.length < 2) return [];
    const sentence = `Order ${orderId} was acknowledged as new to ${makers.length} calls (${makers.map(({ n }) => `#${n}`).join(', ')}).`;
    return [{ promise: 'acknowledged' as const, sentence, goodsId: told[0]?.receipt.goodsId, calls: makers }];
  });
}

function violation(
  index: IndexedEvidence,
  call: SellCall,
  sentence: string,
  receipt?: ClientReceipt,
): Violation {
  const goodsId = receipt?.goodsId ?? call.operation.items[0]?.goodsId;
  const [run, another] = index.runsAt(goodsId ?? 0, call);
  return { promise: 'acknowledged', sentence, goodsId, runId: another ? undefined : run?.id, calls: [call] };
}
