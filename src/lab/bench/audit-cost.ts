/**
 * Measures how long an audit takes to read the ledger, for runs of several lengths. `npm run bench:audit` starts a private
 * server for it; DATABASE_URL names an account that may create tables.
 */
import { DataSource } from 'typeorm';
import { migrate } from '../../database/migrate.js';
import { dataSourceOptions } from '../../database/options.js';
import { Sql } from '../../database/sql.js';
import { LedgerTotals } from '../../stock/ledger-totals.js';
import { milliseconds, whole } from '../report/numbers.js';
import { type Column, textTable } from '../report/text-table.js';

const LENGTHS = [12_000, 100_000, 424_000, 1_000_000];
const NEW_LINES = 1000;
const RUN = { goodsId: 1, runId: 1, initial: 2_000_000 };

interface Costs {
  readonly lines: number;
  readonly first: number;
  readonly withNewLines: number;
  readonly unchanged: number;
  readonly check: number;
}

const COLUMNS: readonly Column<Costs>[] = [
  { title: 'lines', align: 'right', cell: ({ lines }) => whole(lines) },
  { title: 'first audit, ms', align: 'right', cell: ({ first }) => milliseconds(first) },
  { title: `${NEW_LINES} new lines, ms`, align: 'right', cell: (costs) => milliseconds(costs.withNewLines) },
  { title: 'nothing new, ms', align: 'right', cell: ({ unchanged }) => milliseconds(unchanged) },
  { title: 'check for late lines, ms', align: 'right', cell: ({ check }) => milliseconds(check) },
];

function digits(name: string): string {
  return `(SELECT 0 AS n ${Array.from({ length: 9 }, (_, digit) => `UNION ALL SELECT ${digit + 1}`).join(' ')}) AS ${name}`;
}

/** Sales of one unit each, in one unbroken chain. */
async function sell(sql: Sql, from: number, to: number): Promise<void> {
  const places = ['a', 'b', 'c', 'd', 'e', 'f'];
  const number = places.map((name, index) => `${name}.n * ${10 ** index}`).join(' + ');
  await sql.change(
    `INSERT INTO orders (id, kind, run_id, goods_id, strategy, quantity, idempotency_key, instance,
                         before_inventory, after_inventory, attempts, waited_ms)
     SELECT sold + 1, 'SALE', ?, ?, 'sql-atomic', 1, CONCAT('order-', sold), 'bench', ? - sold, ? - sold - 1, 1, 0
     FROM (SELECT ? + ${number} AS sold FROM ${places.map(digits).join(', ')}) AS sales
     WHERE sold < ? ORDER BY sold`,
    [RUN.runId, RUN.goodsId, RUN.initial, RUN.initial, from, to],
  );
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const started = performance.now();
  await work();
  return performance.now() - started;
}

function newTotals(): LedgerTotals {
  return new LedgerTotals(() => {
    throw new Error('a line came late');
  });
}

async function measure(sql: Sql): Promise<Costs[]> {
  const costs: Costs[] = [];
  let lines = 0;
  for (const length of LENGTHS) {
    await sell(sql, lines, length - NEW_LINES);
    const totals = newTotals();
    const first = await timed(() => totals.read(sql, RUN));
    await sell(sql, length - NEW_LINES, length);
    lines = length;
    const withNewLines = await timed(() => totals.read(sql, RUN));
    const unchanged = await timed(() => totals.read(sql, RUN));
    const check = await timed(() => sql.one('SELECT COUNT(*) FROM orders WHERE run_id = ?', [RUN.runId]));
    costs.push({ lines, first, withNewLines, unchanged, check });
  }
  return costs;
}

/** The scheme selects the dialect, and a URL from the environment may have the wrong one. */
async function urlOf(address: string): Promise<string> {
  const source = await new DataSource(dataSourceOptions(address, 1)).initialize();
  const [row] = await source.query<{ version: string }[]>('SELECT VERSION() AS version');
  await source.destroy();
  return row?.version.includes('MariaDB') ? address.replace(/^mysql:/, 'mariadb:') : address;
}

const url = await urlOf(process.env['DATABASE_URL'] ?? '');
await migrate(url, url);
const source = await new DataSource(dataSourceOptions(url, 1)).initialize();
try {
  console.log(textTable(COLUMNS, await measure(new Sql(source.createQueryRunner()))));
} finally {
  await source.destroy();
}
