import { type LedgerRow } from '../evidence.js';
import { type Books, isWrittenLater, orderIdOf, type RunBook } from './books.js';
import { type Violation } from './violation.js';

/**
 * The stock register is linearizable when its operations have one order that explains every value and respects real
 * time. The ledger is such an order: its values are checked by `conservation`, real time here.
 */
export function order(books: Books): Violation[] {
  return [...books.runs.values()].flatMap((run) => [
    ...(run.promised ? overtaken(books, run) : []),
    ...afterTheEnd(books, run),
  ]);
}

/** No line may stand behind one whose call began only after its own call had ended. */
function overtaken(books: Books, run: RunBook): Violation[] {
  let latest: { readonly row: LedgerRow; readonly start: number } | undefined;
  for (const row of run.rows) {
    // An order that Redis accepted has its place in Redis; when it is written to MySQL says nothing.
    if (row.kind === 'MOVE' || isWrittenLater(row)) continue;
    const { start, end } = books.intervalOf(row);
    if (latest && end < latest.start) {
      const sentence =
        `${nameOf(latest.row)} of goods ${run.goodsId} stands before ${nameOf(row)} in the ledger, ` +
        `but its call began only after that of the other had been answered.`;
      return [violation(books, run, sentence, [latest.row, row])];
    }
    if (!latest || start > latest.start) latest = { row, start };
  }
  return [];
}

/** A call that began after the next run had begun cannot sell from this one. */
function afterTheEnd(books: Books, run: RunBook): Violation[] {
  return run.rows
    .filter((row) => row.kind !== 'MOVE' && books.intervalOf(row).start > run.ended.end)
    .slice(0, 1)
    .map((row) => {
      const sentence = `${nameOf(row)} of goods ${run.goodsId} belongs to run ${run.id}, but its call began after that run had been reset.`;
      return violation(books, run, sentence, [row]);
    });
}

function nameOf(row: LedgerRow): string {
  return row.kind === 'SALE' ? `order ${orderIdOf(row)}` : `return ${row.id}`;
}

function violation(books: Books, run: RunBook, sentence: string, rows: readonly LedgerRow[]): Violation {
  const calls = rows.flatMap((row) => books.callsOf(row));
  const capital = sentence.charAt(0).toUpperCase() + sentence.slice(1);
  return { promise: 'order', sentence: capital, goodsId: run.goodsId, runId: run.id, calls };
}
