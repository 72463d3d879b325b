import { type FinalState, type LedgerRow } from '../evidence.js';
import { type IndexedEvidence, isWrittenLater, orderIdOf, type IndexedRun } from './indexed-evidence.js';
import { type PromiseName, type Violation } from './violation.js';

/** Checks the ledger in the order of its ids: no stock is created or lost between two lines. */
export function conservation(index: IndexedEvidence): Violation[] {
  return [...index.runs.values()]
    .filter(({ promised }) => promised)
    .flatMap((run) => [...oversold(index, run), ...chain(index, run)]);
}

function oversold(index: IndexedEvidence, run: IndexedRun): Violation[] {
  let sold = 0;
  for (const row of run.rows) {
    if (row.kind === 'SALE') sold += row.quantity;
    if (row.kind === 'RETURN') sold -= row.quantity;
    if (sold > run.initial) {
      const total = run.rows.reduce((sum, { kind, quantity }) => sum + (kind === 'SALE' ? quantity : 0), 0);
      const sentence =
        `Goods ${run.goodsId} was oversold: with order ${orderIdOf(row)} (${row.strategy}) ${sold} of ${run.initial} ` +
        `were sold less returned; ${total} in the whole run.`;
      return [violation('oversold', run, sentence, index.callsOf(row))];
    }
  }
  return [];
}

function chain(index: IndexedEvidence, run: IndexedRun): Violation[] {
  const broken: Violation[] = [];
  const last = new Map<number | null, LedgerRow>();
  const say = (sentence: string, ...rows: LedgerRow[]) =>
    broken.push(
      violation(
        'conservation',
        run,
        sentence,
        rows.flatMap((row) => index.callsOf(row)),
      ),
    );
  for (const row of run.rows) {
    const before = last.get(row.segment);
    const expected = before?.after ?? (row.segment === null ? run.initial : 0);
    // An order that Redis accepted before the run ended is written to the ledger without a change of a stock row.
    const ownCount = !run.last && isWrittenLater(row);
    if (row.before !== expected && !ownCount) {
      const left = before ? `${nameOf(before)} before it left ${expected}` : `the run began with ${expected}`;
      say(
        `${nameOf(row)} of goods ${run.goodsId} began at ${row.before}, but ${left}.`,
        row,
        ...(before ? [before] : []),
      );
    }
    if (row.after !== row.before + changeBy(row))
      say(`${nameOf(row)} of goods ${run.goodsId} turned ${row.before} into ${row.after}.`, row);
    if (row.after < 0) say(`${nameOf(row)} of goods ${run.goodsId} left ${row.after} in stock.`, row);
    last.set(row.segment, row);
  }
  const final = index.evidence.finals.find(({ runId }) => runId === run.id);
  return final ? [...broken, ...ending(run, final, last)] : broken;
}

/** The stock rows and Redis have the stock that their last line left. */
function ending(
  run: IndexedRun,
  final: FinalState,
  last: ReadonlyMap<number | null, LedgerRow>,
): Violation[] {
  const left = last.get(null)?.after ?? run.initial;
  const wrong: string[] = [];
  if (final.inventory !== left)
    wrong.push(
      `The stock row of goods ${run.goodsId} holds ${final.inventory}, but its last line left ${left}.`,
    );
  for (const { segment, inventory } of final.segments) {
    const expected = last.get(segment)?.after ?? 0;
    if (inventory !== expected)
      wrong.push(
        `Segment ${segment} of goods ${run.goodsId} holds ${inventory}, but its last line left ${expected}.`,
      );
  }
  const { redisRemaining, inFlight } = final.audit;
  if (inFlight !== 0)
    wrong.push(`Goods ${run.goodsId} did not drain: ${inFlight ?? 'an unknown number'} in flight.`);
  const soldByRedis = run.rows.some(({ number }) => number !== null);
  if (soldByRedis && redisRemaining !== null && redisRemaining !== final.inventory)
    wrong.push(
      `Redis holds ${redisRemaining} of goods ${run.goodsId}, MySQL ${final.inventory}, with nothing in flight.`,
    );
  return wrong.map((sentence) => violation('conservation', run, sentence, []));
}

function changeBy({ kind, quantity }: LedgerRow): number {
  return kind === 'SALE' ? -quantity : quantity;
}

function nameOf(row: LedgerRow): string {
  return row.kind === 'SALE'
    ? `Order ${orderIdOf(row)} (${row.strategy})`
    : `${row.kind} ${row.id} (${row.strategy})`;
}

function violation(
  promise: PromiseName,
  run: IndexedRun,
  sentence: string,
  calls: Violation['calls'],
): Violation {
  return { promise, sentence, goodsId: run.goodsId, runId: run.id, calls };
}
