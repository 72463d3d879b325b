import { type Connection } from 'mysql2/promise';
import { shown, shownError } from '../../../checkpoints/shown-value.js';
import { until } from '../../until.js';
import { type Conclusion, type Experiment } from '../experiment.js';
import { type ExperimentRun } from '../../test-bed/experiment-run.js';

const LOCK_WAIT_TIMEOUT = 1205;
const DEADLOCK = 1213;

/** Two connections of the lab use the database directly; the ledger is not involved. */
async function withTwo(
  run: ExperimentRun,
  play: (a: Connection, b: Connection) => Promise<Conclusion>,
): Promise<Conclusion> {
  run.recorder.addActor({ id: 'mysql', kind: 'mysql', label: 'MySQL' });
  const [a, b] = [await run.testBed.connect(), await run.testBed.connect()];
  try {
    for (const connection of [a, b]) await connection.query('SET SESSION innodb_lock_wait_timeout = 1');
    return await play(a, b);
  } finally {
    // Closing the connections rolls their transactions back.
    a.destroy();
    b.destroy();
  }
}

let commands = 0;

/** Sends a statement on the connection of A or B. Resolves with the number of its error, or 0. */
function send(
  run: ExperimentRun,
  who: 'A' | 'B',
  connection: Connection,
  sql: string,
): { readonly answer: Promise<number> } {
  const { recorder } = run;
  const [by, id] = [byOf(who), (commands += 1)];
  const step = { actor: 'lab', to: 'mysql', kind: 'query', text: `${who}: ${sql}` } as const;
  recorder.command(step, by, { id, server: 'mysql', text: sql, values: [] });
  recorder.awaited(by);
  const answer = connection.query(sql).then(
    ([value]) => {
      recorder.returned({ type: 'returned', id, buyer: by, value: shown(sql, value) }, by);
      recorder.event(`${who} done`, by);
      return 0;
    },
    (error: unknown) => {
      const errno = error instanceof Error && 'errno' in error ? Number(error.errno) : -1;
      recorder.returned({ type: 'returned', id, buyer: by, error: shownError(error) }, by);
      recorder.event(`${who} error ${errno}`, by);
      return errno;
    },
  );
  return { answer };
}

/** Waits for the answer of a statement: in the story it comes here. */
async function answered(
  run: ExperimentRun,
  who: 'A' | 'B',
  { answer }: { readonly answer: Promise<number> },
): Promise<number> {
  const errno = await answer;
  run.recorder.awaited(byOf(who));
  return errno;
}

const byOf = (who: 'A' | 'B') => `${who} ${who === 'A' ? 1 : 2}`;

/** Sends a statement and waits for its answer. */
function ask(run: ExperimentRun, who: 'A' | 'B', connection: Connection, sql: string): Promise<number> {
  return answered(run, who, send(run, who, connection, sql));
}

/** C5: A updates one goods; B tries to update another. */
function rowOrTable(column: 'name' | 'id', expected: 'BLOCKED' | 'SAFE'): Experiment {
  const where = column === 'name' ? "name = 'Desk speaker'" : 'id = 2';
  return {
    id: column === 'name' ? 'no-index-locks-the-table' : 'index-locks-the-row',
    title:
      column === 'name'
        ? 'A condition without an index locks every row'
        : 'A condition with an index locks one row',
    claims: ['C5'],
    strategy: 'sql-atomic',
    fault: 'concurrency',
    ...(column === 'id' && { twinOf: 'no-index-locks-the-table' }),
    expected,
    lease: 'long',
    stock: 1,
    run: (run) =>
      withTwo(run, async (a, b) => {
        await ask(run, 'A', a, 'START TRANSACTION');
        await ask(
          run,
          'A',
          a,
          `UPDATE goods SET inventory = inventory - 1 WHERE ${where} AND inventory >= 1`,
        );
        const errno = await ask(run, 'B', b, 'UPDATE goods SET inventory = inventory - 1 WHERE id = 3');
        const blocked = errno === LOCK_WAIT_TIMEOUT;
        const { locked, all } = await lockedRows(run);
        run.prove(
          'A has not committed and locks the rows that it scanned',
          `${locked} of ${all} rows`,
          locked === (column === 'name' ? all : 1),
        );
        run.prove('B updates other goods', errno === 0 ? 'done' : `error ${errno}`, errno === 0 || blocked);
        run.recorder.expectOrder('A done', 'A done', blocked ? `B error ${errno}` : 'B done');
        return blocked
          ? { finding: 'BLOCKED', why: 'Without an index on the name, A locked every row that it scanned.' }
          : { finding: 'SAFE', why: 'A locked one row, and B updated another.' };
      }),
  };
}

/** How many goods rows are locked now, and how many there are. */
async function lockedRows({
  testBed,
}: ExperimentRun): Promise<{ readonly locked: number; readonly all: number }> {
  const all = await testBed.rows('SELECT id FROM goods');
  const free = await testBed.rows('SELECT id FROM goods FOR UPDATE SKIP LOCKED');
  return { locked: all.length - free.length, all: all.length };
}

/** How many deadlocks the server has found so far. */
async function deadlocks({ testBed }: ExperimentRun): Promise<number> {
  const [row] = (await testBed.rows(
    "SELECT count FROM information_schema.innodb_metrics WHERE name = 'lock_deadlocks'",
  )) as { count: number }[];
  return row?.count ?? 0;
}

/** C6: two baskets with the same two goods. */
function twoGoods(order: 'opposite' | 'same', expected: 'BLOCKED' | 'SAFE'): Experiment {
  const lock = (id: number) => `SELECT inventory FROM goods WHERE id = ${id} FOR UPDATE`;
  return {
    id: order === 'opposite' ? 'deadlock' : 'deadlock-cured',
    title:
      order === 'opposite'
        ? 'Two goods locked in opposite order'
        : 'Two goods locked in the order of their ids',
    claims: ['C6'],
    strategy: 'for-update',
    fault: 'concurrency',
    ...(order === 'same' && { twinOf: 'deadlock' }),
    expected,
    lease: 'long',
    stock: 1,
    run: (run) =>
      withTwo(run, async (a, b) => {
        const [first, second] = order === 'opposite' ? [2, 1] : [1, 2];
        const before = await deadlocks(run);
        await ask(run, 'A', a, 'START TRANSACTION');
        await ask(run, 'B', b, 'START TRANSACTION');
        await ask(run, 'A', a, lock(1));
        const bWaits = send(run, 'B', b, lock(first));
        if (order === 'opposite') await answered(run, 'B', bWaits);
        else await until('B waits for the first goods', () => run.testBed.waitsInMysql());
        const aSecond = send(run, 'A', a, lock(2));
        // B closes the circle, so the server always chooses the same victim.
        if (order === 'opposite')
          await until('A waits for the second goods', () => run.testBed.waitsInMysql());
        const outcomes =
          order === 'opposite'
            ? [await ask(run, 'B', b, lock(second)), await answered(run, 'A', aSecond)]
            : [
                await answered(run, 'A', aSecond),
                await ask(run, 'A', a, 'COMMIT'),
                await answered(run, 'B', bWaits),
                await ask(run, 'B', b, lock(second)),
              ];
        const victims = outcomes.filter((errno) => errno === DEADLOCK).length;
        const found = (await deadlocks(run)) - before;
        run.prove(
          order === 'opposite' ? 'the server detected a deadlock' : 'the server detected no deadlock',
          `lock_deadlocks +${found}, errors ${outcomes.join(', ')}`,
          found === victims &&
            outcomes.filter((errno) => errno !== 0).length === (order === 'opposite' ? 1 : 0),
        );
        // Opposite order: each holds its first goods. Same order: A holds both before B holds one. The reply to A's COMMIT
        // and the lock that it gives to B may arrive in either order.
        const ends = order === 'opposite' ? ['B done'] : ['A done', 'B done', 'B done'];
        run.recorder.expectOrder('A done', 'B done', 'A done', ...ends);
        return victims > 0
          ? {
              finding: 'BLOCKED',
              why: `Each waited for the other; the server rolled ${victims} of them back (error 1213).`,
            }
          : { finding: 'SAFE', why: 'B waited for the first goods until A had locked and released both.' };
      }),
  };
}

export const ROW_OR_TABLE: readonly Experiment[] = [
  rowOrTable('name', 'BLOCKED'),
  rowOrTable('id', 'SAFE'),
  twoGoods('opposite', 'BLOCKED'),
  twoGoods('same', 'SAFE'),
];
