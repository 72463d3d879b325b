import { type LedgerRow } from '../evidence.js';
import { type CancelCall, outcomeOf } from '../history.js';
import { type IndexedEvidence, isWrittenLater, orderIdOf } from './indexed-evidence.js';
import { groupBy } from './group-by.js';
import { type Violation } from './violation.js';

interface Cancelled {
  readonly returnId: number;
  readonly remaining: number;
  readonly returned: boolean;
}

/** Stock is returned once, when a call asked for it, and the answers to such calls are true. */
export function returns(index: IndexedEvidence): Violation[] {
  const rows = index.evidence.ledger.filter(({ kind }) => kind === 'RETURN');
  return [
    ...rows.flatMap((row) => ofRow(index, row)),
    ...twice(index, rows),
    ...index.cancels.flatMap((call) => ofCall(index, call, rows)),
  ];
}

function ofRow(index: IndexedEvidence, row: LedgerRow): Violation[] {
  const sale = index.saleOf(row);
  const what = `Return ${row.id} (${row.quantity} of goods ${row.goodsId})`;
  if (sale?.runId !== row.runId || sale.goodsId !== row.goodsId || sale.quantity !== row.quantity) {
    return [violation(row, [], `${what} does not belong to a sale of that quantity in the same run.`)];
  }
  const calls = index.cancelsOf.get(orderIdOf(sale)) ?? [];
  // A wrong token that was accepted is reported with its call.
  if (calls.some((call) => outcomeOf(call) === 'done' || mayHaveReturned(call))) return [];
  const asked =
    calls.length === 0
      ? 'no call asked for it'
      : 'every call that asked for it was refused or had a wrong token';
  return [violation(row, calls, `${what} is in the ledger, but ${asked}.`)];
}

function twice(index: IndexedEvidence, rows: readonly LedgerRow[]): Violation[] {
  return [...groupBy(rows, ({ cancels }) => cancels).values()].flatMap((same) => {
    const [first] = same;
    if (!first || same.length < 2) return [];
    const ids = same.map(({ id }) => id).join(' and ');
    return [
      violation(
        first,
        index.callsOf(first),
        `The stock of sale ${first.cancels ?? 0} was returned ${same.length} times (lines ${ids}).`,
      ),
    ];
  });
}

function ofCall(index: IndexedEvidence, call: CancelCall, rows: readonly LedgerRow[]): Violation[] {
  const { orderId, forged } = call.operation;
  const sale = index.sales.get(orderId);
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
    const first = (index.cancelsOf.get(orderId) ?? []).find((other) => returnedNow(other));
    if (returned && first && first !== call)
      return say(`Cancels #${first.n} and #${call.n} both say that they returned order ${orderId}.`, [
        first,
        call,
      ]);
    return [];
  }
  return refusal(index, call, sale).flatMap((sentence) => say(sentence));
}

/** Refusals of a cancel that cannot be true. */
function refusal(index: IndexedEvidence, call: CancelCall, sale: LedgerRow | undefined): string[] {
  const { orderId, forged } = call.operation;
  if (!sale || forged) return [];
  const before = (index.acknowledgements.get(orderId) ?? []).some((told) => told.call.end < call.start);
  // An order of redis-lua may still be in flight.
  if (call.answer?.status === 404 && before && !isWrittenLater(sale))
    return [`Cancel #${call.n} says that order ${orderId} is unknown, but it had been acknowledged before.`];
  const run = index.runs.get(sale.runId);
  if (call.answer?.type === 'run-ended' && run && run.ended.start > call.end)
    return [`Cancel #${call.n} says that the run of order ${orderId} has ended, but no call had reset it.`];
  return [];
}

function mayHaveReturned(call: CancelCall): boolean {
  return outcomeOf(call) === 'unknown' && !call.operation.forged;
}

function returnedNow({ answer }: CancelCall): boolean {
  return answer?.status === 200 && (answer.body as Cancelled).returned;
}

function violation(row: LedgerRow | undefined, calls: Violation['calls'], sentence: string): Violation {
  return { promise: 'returns', sentence, goodsId: row?.goodsId, runId: row?.runId, calls };
}
