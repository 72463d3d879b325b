import { DataSource } from 'typeorm';
import { dataSourceOptions } from '../../../database/options.js';
import { Sql } from '../../../database/sql.js';
import { LedgerTotals } from '../../../stock/ledger-totals.js';
import { LAB_ACCOUNT } from '../../engines/mariadb.js';
import { type PrivateSystem } from '../../private-system.js';
import { type PartReport, type Point } from '../report.js';
import { rounded } from '../statistics.js';
import { type Turns } from '../turns.js';

const LENGTHS = [12_000, 100_000, 424_000, 1_000_000];
const NEW_LINES = 1000;
const RUN = { goodsId: 1, runId: 1, initial: 2_000_000 };
const DIGITS = ['a', 'b', 'c', 'd', 'e', 'f'];

/** How long an audit takes to read the ledger, for runs of several lengths. */
export async function auditCost({ servers, database }: PrivateSystem, turns: Turns): Promise<PartReport> {
  const { scheme, databasePort, secrets } = servers.addresses;
  const url = `${scheme}://${LAB_ACCOUNT}:${secrets.labPassword}@127.0.0.1:${databasePort}/${database}`;
  const source = await new DataSource(dataSourceOptions(url, 1)).initialize();
  try {
    const points = await measure(new Sql(source.createQueryRunner()), turns);
    return {
      ...{
        name: 'audit',
        notes: ['Less is better. The check counts the lines of the run, to find those that came late.'],
      },
      tables: [{ title: 'Audit', unit: 'ms', axis: 'lines of the ledger', points }],
    };
  } finally {
    await source.destroy();
  }
}

async function measure(sql: Sql, { rounds, stop, onStep }: Turns): Promise<Point[]> {
  const points: Point[] = [];
  let lines = 0;
  for (const [index, x] of LENGTHS.entries()) {
    if (stop.aborted) break;
    onStep({
      step: `${x} lines`,
      round: 1,
      rounds: 1,
      done: index,
      all: LENGTHS.length,
      beginsRound: index === 0,
    });
    // The rounds add their lines: the last one reaches the length.
    const all: Record<string, number[]> = {
      first: [],
      [`${NEW_LINES} new lines`]: [],
      'nothing new': [],
      check: [],
    };
    await sell(sql, lines, x - NEW_LINES * rounds);
    lines = x - NEW_LINES * rounds;
    for (let round = 0; round < rounds; round += 1) {
      const totals = newTotals();
      all['first']?.push(await timed(() => totals.read(sql, RUN)));
      await sell(sql, lines, lines + NEW_LINES);
      lines += NEW_LINES;
      all[`${NEW_LINES} new lines`]?.push(await timed(() => totals.read(sql, RUN)));
      all['nothing new']?.push(await timed(() => totals.read(sql, RUN)));
      all['check']?.push(
        await timed(() => sql.one('SELECT COUNT(*) FROM orders WHERE run_id = ?', [RUN.runId])),
      );
    }
    points.push(...Object.entries(all).map(([name, values]) => ({ name, x, rounds: values.map(rounded) })));
  }
  return points;
}

function digits(name: string): string {
  return `(SELECT 0 AS n ${Array.from({ length: 9 }, (_, digit) => `UNION ALL SELECT ${digit + 1}`).join(' ')}) AS ${name}`;
}

/** Sales of one unit each, in one unbroken chain. */
async function sell(sql: Sql, from: number, to: number): Promise<void> {
  const number = DIGITS.map((name, index) => `${name}.n * ${10 ** index}`).join(' + ');
  await sql.change(
    `INSERT INTO orders (id, kind, run_id, goods_id, strategy, quantity, idempotency_key, instance,
                         before_inventory, after_inventory, attempts, waited_ms)
     SELECT sold + 1, 'SALE', ?, ?, 'sql-atomic', 1, CONCAT('order-', sold), 'bench', ? - sold, ? - sold - 1, 1, 0
     FROM (SELECT ? + ${number} AS sold FROM ${DIGITS.map(digits).join(', ')}) AS sales
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
