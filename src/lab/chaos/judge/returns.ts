import { type LedgerRow } from '../evidence.js';
import { type CancelCall, outcomeOf } from '../history.js';
import { type Books, isWrittenLater, orderIdOf } from './books.js';
import { groupBy } from './group-by.js';
import { type Violation } from './violation.js';

interface Cancelled {
  readonly returnId: number;
  readonly remaining: number;
  readonly returned: boolean;
}

/** Stock is returned once, when a call asked for it, and the answers to such calls are true. */
export function returns(books: Books): Violation[] {
  const rows = books.evidence.ledger.filter(({ kind }) => kind === 'RETURN');
  return [
    ...rows.flatMap((row) => ofRow(books, row)),
    ...twice(books, rows),
    ...books.cancels.flatMap((call) => ofCall(books, call, rows)),
  ];
}

function ofRow(books: Books, row: LedgerRow): Violation[] {
  const sale = books.saleOf(row);
  const what = `Return ${row.id} (${row.quantity} of goods ${row.goodsId})`;
  if (sale?.runId !== row.runId || sale.goodsId !== row.goodsId || sale.quantity !== row.quantity) {
    return [violation(row, [], `${what} does not belong to a sale of that quantity in the same run.`)];
  }
  const calls = books.cancelsOf.get(orderIdOf(sale)) ?? [];
  if (calls.some((call) => outcomeOf(call) !== 'refused' && !call.operation.forged)) return [];
  const asked = calls.length === 0 ? 'no call asked for it' : 'every call that asked for it was refused';
  return [violation(row, calls, `${what} is in the ledger, but ${asked}.`)];
}

function twice(books: Books, rows: readonly LedgerRow[]): Violation[] {
  return [...groupBy(rows, ({ cancels }) => cancels).values()].flatMap((same) => {
    const [first] = same;
    if (!first || same.length < 2) return [];
    const ids = same.map(({ id }) => id).join(' and ');
    return [
      violation(
        first,
        books.callsOf(first),
        `The stock of sale ${first.cancels ?? 0} was returned ${same.length} times (lines ${ids}).`,
      ),
    ];
  });
}

function ofCall(books: Books, call: CancelCall, rows: readonly LedgerRow[]): Violation[] {
  const { orderId, forged } = call.operation;
  const sale = books.sales.get(orderId);
  const say = (sentence: string, calls: readonly CancelCall[] = [call]) => [violation(sale, calls, sentence)];
  if (outcomeOf(call) === 'done') {
    if (forged) return say(`Cancel #${call.n} of order ${orderId} was accepted with a wrong token.`);
    const { returnId, remaining, returned } = call.answer?.body as Cancelled;
    const row = rows.find(({ id }) => id === returnId);
    if (!row || row.cancels !== sale?.id)
      return say(
        `Cancel #${call.n} of order ${orderId} was acknowledged, but the ledger has no return for it.`,
      );
    if (returned && remaining !== (row.told ?? row.after))
      return say(`Cancel #${call.n} says ${remaining} left, the ledger ${row.told ?? row.after}.`);
    const first = (books.cancelsOf.get(orderId) ?? []).find((other) => returnedNow(other));
    if (returned && first && first !== call)
      return say(`Cancels #${first.n} and #${call.n} both say that they returned order ${orderId}.`, [
        first,
        call,
      ]);
    return [];
  }
  return refusal(books, call, sale).flatMap((sentence) => say(sentence));
}

/** Which refusals of a cancel cannot be true. */
function refusal(books: Books, call: CancelCall, sale: LedgerRow | undefined): string[] {
  const { orderId, forged } = call.operation;
  if (!sale || forged) return [];
  const before = (books.acknowledgements.get(orderId) ?? []).some((told) => told.call.end < call.start);
  // An order that is written later may be on its way.
  if (call.answer?.status === 404 && before && !isWrittenLater(sale))
    return [`Cancel #${call.n} says that order ${orderId} is unknown, but it had been acknowledged before.`];
  const run = books.runs.get(sale.runId);
  if (call.answer?.type === 'run-ended' && run && run.ended.start > call.end)
    return [`Cancel #${call.n} says that the run of order ${orderId} has ended, but nobody had reset it.`];
  return [];
}

function returnedNow({ answer }: CancelCall): boolean {
  return answer?.status === 200 && (answer.body as Cancelled).returned;
}

function violation(row: LedgerRow | undefined, calls: Violation['calls'], sentence: string): Violation {
  return { promise: 'returns', sentence, goodsId: row?.goodsId, runId: row?.runId, calls };
}
