import { type LedgerRow } from '../evidence.js';
import { outcomeOf } from '../history.js';
import { type Books, isWrittenLater, orderIdOf, type RunBook } from './books.js';
import { type Violation } from './violation.js';

/**
 * The stock register is linearizable when its operations have one order that explains every value and respects real
 * time. The ledger is such an order: its values are checked by `conservation`, real time here.
 */
export function order(books: Books): Violation[] {
  return [...books.runs.values()].flatMap((run) => [
    ...(run.promised ? [...overtaken(books, run, inTheLedger(run)), ...inRedis(books, run)] : []),
    ...afterTheEnd(books, run),
  ]);
}

/** An order that Redis accepted has its place in Redis; when it is written to MySQL says nothing. */
function inTheLedger({ rows }: RunBook): readonly LedgerRow[] {
  return rows.filter((row) => row.kind !== 'MOVE' && !isWrittenLater(row));
}

/** No line may stand behind one whose call began only after its own call had ended. */
function overtaken(books: Books, run: RunBook, rows: readonly LedgerRow[]): Violation[] {
  let latest: { readonly row: LedgerRow; readonly start: number } | undefined;
  for (const row of rows) {
    const { start, end } = books.intervalOf(row);
    if (latest && end < latest.start) {
      const sentence =
        `${nameOf(latest.row)} of goods ${run.goodsId} comes before ${nameOf(row)}, ` +
        `but its call began only after that of the other had been answered.`;
      return [violation(books, run, sentence, [latest.row, row])];
    }
    if (!latest || start > latest.start) latest = { row, start };
  }
  return [];
}

/**
 * The order in Redis is that of the stock which the buyers were told. It can be followed where all sales of a run are
 * accepted there, none is returned, and nothing is in doubt.
 */
function inRedis(books: Books, run: RunBook): Violation[] {
  const inDoubt = books.faulty || books.sells.some((call) => outcomeOf(call) === 'unknown');
  if (inDoubt || !run.rows.every((row) => row.kind === 'SALE' && isWrittenLater(row))) return [];
  const rows = run.rows.toSorted((a, b) => (b.told ?? 0) - (a.told ?? 0));
  let left = run.initial;
  for (const row of rows) {
    if (row.told !== left - row.quantity) {
      const sentence = `${nameOf(row)} of goods ${run.goodsId} took ${row.quantity} in Redis and left ${row.told ?? 0}, but ${left} were there before.`;
      return [violation(books, run, sentence, [row])];
    }
    left = row.told;
  }
  return overtaken(books, run, rows);
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
