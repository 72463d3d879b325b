import { type Connection, type ResultSetHeader } from 'mysql2/promise';
import { DataSource, type QueryRunner } from 'typeorm';
import { migrate } from '../src/database/migrate.js';
import { dataSourceOptions } from '../src/database/options.js';
import { Sql } from '../src/database/sql.js';
import { seeded } from '../src/lab/chaos/seeded.js';
import { labConnection, migrationEnvironment } from '../src/lab/servers.js';
import { type CountedRun, LedgerTotals, type Totals } from '../src/stock/ledger-totals.js';
import { eventually } from './support/eventually.js';
import { forgedStep, honestStep, insert, SEGMENTS } from './support/ledger-writers.js';
import { servers } from './support/test-shop.js';

/** Small, so that every history spans many chunks. */
class InSmallChunks extends LedgerTotals {
  protected override readonly chunk = 7;
  recounts = 0;

  constructor() {
    super(() => (this.recounts += 1));
  }
}

const INITIAL = 1000;
const SEED = Number(process.env['SEED'] ?? 20_260_107);

const database = `lockstock_totals_${process.pid}_${Date.now()}`;
let source: DataSource;
let auditor: QueryRunner;
let sql: Sql;
beforeAll(async () => {
  const connection = await labConnection(servers);
  await connection.query(`CREATE DATABASE ${database} CHARACTER SET utf8mb4`);
  await connection.end();
  const { DATABASE_URL = '', MIGRATIONS_URL = '' } = migrationEnvironment(servers, database);
  await migrate(MIGRATIONS_URL, DATABASE_URL);
  source = await new DataSource(dataSourceOptions(DATABASE_URL, 2)).initialize();
  auditor = source.createQueryRunner();
  sql = new Sql(auditor);
});
afterAll(async () => {
  await auditor.release();
  await source.destroy();
});

async function newRun(mysql: Connection, goodsId: number): Promise<CountedRun> {
  const [{ insertId }] = await mysql.query<ResultSetHeader>(
    'INSERT INTO runs (goods_id, initial) VALUES (?, ?)',
    [goodsId, INITIAL],
  );
  await mysql.query('UPDATE goods SET run_id = ?, inventory = ?, lease_seq = 0 WHERE id = ?', [
    insertId,
    INITIAL,
    goodsId,
  ]);
  for (let segment = 0; segment < SEGMENTS; segment += 1)
    await mysql.query('INSERT INTO stock_segments (run_id, segment, inventory) VALUES (?, ?, 0)', [
      insertId,
      segment,
    ]);
  return { goodsId, runId: insertId, initial: INITIAL };
}

/** Reads the whole ledger of the run in one query, without a cached count. */
async function wholeLedger({ runId, initial }: CountedRun): Promise<Totals> {
  const totals = await sql.one<Omit<Totals, 'duplicateKeys' | 'reusedLeases'>>(
    `SELECT COUNT(kind = 'SALE' OR NULL) AS orders, COUNT(number) AS redisOrders,
            CAST(COALESCE(SUM(CASE kind WHEN 'SALE' THEN quantity WHEN 'RETURN' THEN -quantity END), 0) AS SIGNED) AS sold,
            CAST(COALESCE(SUM(IF(kind = 'RETURN', quantity, 0)), 0) AS SIGNED) AS returned,
            MIN(after_inventory) AS lowestAfter,
            COUNT(before_inventory <> expected OR NULL) AS brokenLinks,
            COUNT((kind = 'RETURN' AND NOT EXISTS (
              SELECT 1 FROM orders AS sale WHERE sale.id = ledger.cancels AND sale.id < ledger.id AND sale.kind = 'SALE'
                AND sale.run_id = ledger.run_id AND sale.goods_id = ledger.goods_id AND sale.quantity = ledger.quantity
            )) OR NULL) AS unmatchedReturns
     FROM (SELECT orders.*, COALESCE(LAG(after_inventory) OVER (PARTITION BY segment ORDER BY id),
                                     IF(segment IS NULL, ?, 0)) AS expected
           FROM orders WHERE run_id = ?) AS ledger`,
    [initial, runId],
  );
  const usedTwice = async (column: string) =>
    (
      await sql.rows(
        `SELECT 1 FROM orders WHERE run_id = ? AND ${column} IS NOT NULL GROUP BY ${column} HAVING COUNT(*) > 1`,
        [runId],
      )
    ).length;
  return {
    ...(totals as Omit<Totals, 'duplicateKeys' | 'reusedLeases'>),
    duplicateKeys: await usedTwice('idempotency_key'),
    reusedLeases: await usedTwice('lease_seq'),
  };
}

/** Counts in both ways in one snapshot. */
async function bothWays(totals: LedgerTotals, run: CountedRun): Promise<[Totals, Totals]> {
  await sql.change('START TRANSACTION');
  const counted = await totals.read(sql, run);
  const whole = await wholeLedger(run);
  await sql.change('COMMIT');
  const asTotals = Object.fromEntries(
    Object.keys(whole).map((name) => [name, counted[name as keyof Totals]]),
  );
  return [asTotals as unknown as Totals, whole];
}

async function together(
  count: number,
  work: (mysql: Connection, index: number) => Promise<void>,
): Promise<void> {
  await Promise.all(
    Array.from({ length: count }, async (_, index) => {
      const mysql = await labConnection(servers, database);
      await mysql.query('SET SESSION innodb_lock_wait_timeout = 20');
      try {
        await work(mysql, index);
      } finally {
        await mysql.end();
      }
    }),
  );
}

test(`counting only new rows gives the same totals at every moment, while others write (SEED=${SEED})`, async () => {
  const totals = new InSmallChunks();
  for (const goodsId of [1, 2]) {
    const mysql = await labConnection(servers, database);
    const run = await newRun(mysql, goodsId);
    await mysql.end();
    const writing = new Set(['writers']);
    let compared = 0;
    const writers = together(5, async (writer, index) => {
      const random = seeded(SEED + 100 * goodsId + index);
      for (let step = 0; step < 60; step += 1) await honestStep(writer, run, random);
    }).finally(() => {
      writing.clear();
    });
    while (writing.size > 0) {
      const [counted, whole] = await bothWays(totals, run);
      expect(counted).toEqual(whole);
      compared += 1;
    }
    await writers;
    const [counted, whole] = await bothWays(totals, run);
    expect(counted).toEqual(whole);
    expect(counted).toMatchObject({ unmatchedReturns: 0, duplicateKeys: 0, reusedLeases: 0 });
    expect(counted.orders).toBeGreaterThan(50);
    expect(counted.returned).toBeGreaterThan(0);
    expect(counted.brokenLinks).toBeGreaterThan(0);
    expect(compared).toBeGreaterThan(5);
  }
  // No count was discarded: the totals are right because of the order of the rows, not because of the check.
  expect(totals.recounts).toBe(0);
});

test(`forged rows are counted, even with ids below the ids that were counted before (SEED=${SEED})`, async () => {
  const totals = new InSmallChunks();
  const mysql = await labConnection(servers, database);
  const run = await newRun(mysql, 3);
  const random = seeded(SEED);
  for (let step = 0; step < 40; step += 1) await honestStep(mysql, run, random);
  for (let step = 0; step < 40; step += 1) {
    await bothWays(totals, run);
    await forgedStep(mysql, run, random);
    if (random() < 0.3) await honestStep(mysql, run, random);
    await eventually('the totals agree', async () => {
      const [counted, whole] = await bothWays(totals, run);
      return JSON.stringify(counted) === JSON.stringify(whole);
    });
  }
  const [counted, whole] = await bothWays(totals, run);
  expect(counted).toEqual(whole);
  expect(counted.unmatchedReturns).toBeGreaterThan(0);
  expect(counted.duplicateKeys).toBeGreaterThan(0);
  expect(counted.reusedLeases).toBeGreaterThan(0);
  // Rows with an id from a gap were noticed by the number of rows.
  expect(totals.recounts).toBeGreaterThan(0);
  await mysql.end();
});

test('an aborted count does not change the count of a later audit', async () => {
  const totals = new InSmallChunks();
  const mysql = await labConnection(servers, database);
  const run = await newRun(mysql, 4);
  const random = seeded(SEED);
  for (let step = 0; step < 20; step += 1) await honestStep(mysql, run, random);
  await totals.read(sql, run);
  for (let step = 0; step < 40; step += 1) await honestStep(mysql, run, random);
  // Two at once, as after a deadline: answers for the first count are still in flight.
  const other = source.createQueryRunner();
  await Promise.all([totals.read(sql, run), totals.read(new Sql(other), run)]);
  await other.release();
  const [counted, whole] = await bothWays(totals, run);
  expect(counted).toEqual(whole);
  expect(totals.recounts).toBe(0);
  await mysql.end();
});

test('a count that lacks a row is correct after its cached part was dropped', async () => {
  const totals = new InSmallChunks();
  const mysql = await labConnection(servers, database);
  const run = await newRun(mysql, 5);
  const [[{ id }]] = (await mysql.query('SELECT MAX(id) AS id FROM orders')) as unknown as [[{ id: number }]];
  const line = { kind: 'SALE', quantity: 1, segment: null } as const;
  await insert(mysql, run, { ...line, before: INITIAL - 1, after: INITIAL - 2, id: id + 2 });
  expect(await totals.read(sql, run)).toMatchObject({ sold: 1, brokenLinks: 1 });
  // As in a snapshot that contains a COMMIT but not an earlier one: the earlier row appears later.
  await insert(mysql, run, { ...line, before: INITIAL, after: INITIAL - 1, id: id + 1 });
  totals.forget(run.goodsId);
  expect(await totals.read(sql, run)).toMatchObject({ sold: 2, brokenLinks: 0 });
  await mysql.end();
});
