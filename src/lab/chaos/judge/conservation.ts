import { type FinalState, type LedgerRow } from '../evidence.js';
import { type Books, isWrittenLater, orderIdOf, type RunBook } from './books.js';
import { type PromiseName, type Violation } from './violation.js';

/** The ledger walked in the order of its ids: nothing is created or lost between any two of its lines. */
export function conservation(books: Books): Violation[] {
  return [...books.runs.values()]
    .filter(({ promised }) => promised)
    .flatMap((run) => [...oversold(books, run), ...chain(books, run)]);
}

function oversold(books: Books, run: RunBook): Violation[] {
  let sold = 0;
  for (const row of run.rows) {
    if (row.kind === 'SALE') sold += row.quantity;
    if (row.kind === 'RETURN') sold -= row.quantity;
    if (sold > run.initial) {
      const total = run.rows.reduce((sum, { kind, quantity }) => sum + (kind === 'SALE' ? quantity : 0), 0);
      const sentence =
        `Goods ${run.goodsId} was oversold: with order ${orderIdOf(row)} (${row.strategy}) ${sold} of ${run.initial} ` +
        `were sold less returned; ${total} in the whole run.`;
      return [violation('oversold', run, sentence, books.callsOf(row))];
    }
  }
  return [];
}

function chain(books: Books, run: RunBook): Violation[] {
  const broken: Violation[] = [];
  const last = new Map<number | null, LedgerRow>();
  const say = (sentence: string, ...rows: LedgerRow[]) =>
    broken.push(
      violation(
        'conservation',
        run,
        sentence,
        rows.flatMap((row) => books.callsOf(row)),
      ),
    );
  for (const row of run.rows) {
    const before = last.get(row.segment);
    const expected = before?.after ?? (row.segment === null ? run.initial : 0);
    // Redis counted an order of an ended run; it is written there for its buyer, and no stock row is behind it.
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
  const final = books.evidence.finals.find(({ runId }) => runId === run.id);
  return final ? [...broken, ...ending(run, final, last)] : broken;
}

/** The stock rows, and Redis, hold what the last line of each left. */
function ending(run: RunBook, final: FinalState, last: ReadonlyMap<number | null, LedgerRow>): Violation[] {
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
  run: RunBook,
  sentence: string,
  calls: Violation['calls'],
): Violation {
  return { promise, sentence, goodsId: run.goodsId, runId: run.id, calls };
}
