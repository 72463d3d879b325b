import { type LedgerRow } from '../evidence.js';
import { outcomeOf } from '../history.js';
import { type IndexedEvidence, isWrittenLater, orderIdOf, type IndexedRun } from './indexed-evidence.js';
import { type Violation } from './violation.js';

/**
 * The stock is linearizable when its operations have one order that explains every value and respects real time. The ledger
 * is such an order: `conservation` checks its values, this file checks real time.
 */
export function order(index: IndexedEvidence): Violation[] {
  return [...index.runs.values()].flatMap((run) => [
    ...(run.promised ? [...overtaken(index, run, inTheLedger(run)), ...inRedis(index, run)] : []),
    ...afterTheEnd(index, run),
  ]);
}

/** Without the orders that Redis accepted: their position in the ledger says nothing about real time. */
function inTheLedger({ rows }: IndexedRun): readonly LedgerRow[] {
  return rows.filter((row) => row.kind !== 'MOVE' && !isWrittenLater(row));
}

/** A line may not come after a line whose call began only after its own call had ended. */
function overtaken(index: IndexedEvidence, run: IndexedRun, rows: readonly LedgerRow[]): Violation[] {
  let latest: { readonly row: LedgerRow; readonly start: number } | undefined;
  for (const row of rows) {
    const { start, end } = index.intervalOf(row);
    if (latest && end < latest.start) {
      const sentence =
        `${nameOf(latest.row)} of goods ${run.goodsId} comes before ${nameOf(row)}, ` +
        `but its call began only after the call of the other had been answered.`;
      return [violation(index, run, sentence, [latest.row, row])];
    }
    if (!latest || start > latest.start) latest = { row, start };
  }
  return [];
}

/**
 * The remaining stock on the receipts shows the order in Redis. It can be checked when all sales of a run were accepted in
 * Redis, none was returned, and no outcome is unknown.
 */
function inRedis(index: IndexedEvidence, run: IndexedRun): Violation[] {
  const inDoubt = index.faulty || index.sells.some((call) => outcomeOf(call) === 'unknown');
  if (inDoubt || !run.rows.every((row) => row.kind === 'SALE' && isWrittenLater(row))) return [];
  const rows = run.rows.toSorted((a, b) => (b.told ?? 0) - (a.told ?? 0));
  let left = run.initial;
  for (const row of rows) {
    if (row.told !== left - row.quantity) {
      const sentence = `${nameOf(row)} of goods ${run.goodsId} took ${row.quantity} in Redis and left ${row.told ?? 0}, but ${left} were there before.`;
      return [violation(index, run, sentence, [row])];
    }
    left = row.told;
  }
  return overtaken(index, run, rows);
}

/** A call that began after the next run had begun cannot sell from this one. */
function afterTheEnd(index: IndexedEvidence, run: IndexedRun): Violation[] {
  return run.rows
    .filter((row) => row.kind !== 'MOVE' && index.intervalOf(row).start > run.ended.end)
    .slice(0, 1)
    .map((row) => {
      const sentence = `${nameOf(row)} of goods ${run.goodsId} belongs to run ${run.id}, but its call began after that run had been reset.`;
      return violation(index, run, sentence, [row]);
    });
}

function nameOf(row: LedgerRow): string {
  return row.kind === 'SALE' ? `order ${orderIdOf(row)}` : `return ${row.id}`;
}

function violation(
  index: IndexedEvidence,
  run: IndexedRun,
  sentence: string,
  rows: readonly LedgerRow[],
): Violation {
  const calls = rows.flatMap((row) => index.callsOf(row));
  const capital = sentence.charAt(0).toUpperCase() + sentence.slice(1);
  return { promise: 'order', sentence: capital, goodsId: run.goodsId, runId: run.id, calls };
}
