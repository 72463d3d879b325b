import { setTimeout as sleep } from 'node:timers/promises';
import { type Connection } from 'mysql2/promise';
import { type CountedRun } from '../../src/stock/ledger-totals.js';

/** The number of segments of the stock of each run. */
export const SEGMENTS = 3;

type Random = () => number;
const pick = <T>(random: Random, ...choices: readonly T[]): T =>
  choices[Math.floor(random() * choices.length)] as T;

interface Line {
  readonly kind: 'SALE' | 'RETURN' | 'MOVE';
  readonly quantity: number;
  readonly before: number;
  readonly after: number;
  readonly segment: number | null;
  readonly goodsId?: number;
  readonly key?: string | null;
  readonly lease?: number | null;
  readonly cancels?: number | null;
  readonly id?: number | null;
}

export async function insert(mysql: Connection, run: CountedRun, line: Line): Promise<void> {
  await mysql.query(
    `INSERT INTO orders (id, kind, run_id, goods_id, strategy, quantity, idempotency_key, instance, segment,
                         before_inventory, after_inventory, lease_seq, attempts, waited_ms, cancels)
     VALUES (?, ?, ?, ?, 'test', ?, ?, 'test', ?, ?, ?, ?, 1, 0, ?)`,
    [
      line.id ?? null,
      line.kind,
      run.runId,
      line.goodsId ?? run.goodsId,
      line.quantity,
      line.key ?? null,
      line.segment,
      line.before,
      line.after,
      line.lease ?? null,
      line.cancels ?? null,
    ],
  );
}

/** One transaction of a strategy: stock row first, ledger second, COMMIT or ROLLBACK some time later. */
export async function honestStep(mysql: Connection, run: CountedRun, random: Random): Promise<void> {
  const segment = pick(random, null, ...Array.from({ length: SEGMENTS }, (_, index) => index));
  const [table, where] =
    segment === null
      ? ['goods', `id = ${run.goodsId}`]
      : ['stock_segments', `run_id = ${run.runId} AND segment = ${segment}`];
  const [sales] = await mysql.query(
    `SELECT id, quantity FROM orders AS sale WHERE run_id = ? AND kind = 'SALE' AND segment <=> ?
       AND NOT EXISTS (SELECT 1 FROM orders AS back WHERE back.cancels = sale.id) ORDER BY id LIMIT 1`,
    [run.runId, segment],
  );
  const sale = random() < 0.3 ? (sales as { id: number; quantity: number }[])[0] : undefined;
  await mysql.query('START TRANSACTION');
  try {
    const [[row]] = (await mysql.query(
      `SELECT inventory FROM ${table} WHERE ${where} FOR UPDATE`,
    )) as unknown as [[{ inventory: number }]];
    const quantity = sale?.quantity ?? 1 + Math.floor(random() * 3);
    const change = sale ? quantity : -quantity;
    // As with a broken lock: the row has another stock before the sale.
    const before = row.inventory + (random() < 0.05 ? 1 : 0);
    await mysql.query(`UPDATE ${table} SET inventory = inventory + ? WHERE ${where}`, [change]);
    let lease: number | null = null;
    if (segment === null && !sale && random() < 0.5) {
      await mysql.query('UPDATE goods SET lease_seq = LAST_INSERT_ID(lease_seq + 1) WHERE id = ?', [
        run.goodsId,
      ]);
      const [[last]] = (await mysql.query('SELECT LAST_INSERT_ID() AS seq')) as unknown as [
        [{ seq: number }],
      ];
      lease = last.seq;
    }
    await insert(mysql, run, {
      kind: sale ? 'RETURN' : 'SALE',
      quantity,
      before,
      after: before + change,
      segment,
      lease,
      cancels: sale?.id ?? null,
      key: random() < 0.3 ? `key-${Math.floor(random() * 1e9)}` : null,
    });
    await sleep(random() * 8);
    await mysql.query(random() < 0.15 ? 'ROLLBACK' : 'COMMIT');
  } catch {
    // A second return of one sale, or a deadlock.
    await mysql.query('ROLLBACK');
  }
}

/** A row that no deduction writes: without the row lock, and sometimes with an id from a gap. */
export async function forgedStep(mysql: Connection, run: CountedRun, random: Random): Promise<void> {
  const [rows] = await mysql.query(
    'SELECT id, lease_seq AS lease, idempotency_key AS `key` FROM orders WHERE run_id = ?',
    [run.runId],
  );
  const lines = rows as { id: number; lease: number | null; key: string | null }[];
  const some = pick(random, ...lines);
  const used = new Set(lines.map(({ id }) => id));
  const [first, last] = [lines[0]?.id ?? 1, lines.at(-1)?.id ?? 1];
  const gaps = Array.from({ length: last - first }, (_, index) => first + index).filter(
    (id) => !used.has(id),
  );
  const forged: Line = {
    kind: pick(random, 'SALE', 'RETURN', 'MOVE'),
    quantity: 1 + Math.floor(random() * 5),
    before: Math.floor(random() * 50) - 10,
    after: Math.floor(random() * 50) - 10,
    segment: pick(random, null, 0, 1, SEGMENTS + 5),
    goodsId: pick(random, run.goodsId, run.goodsId + 1),
    lease: pick(random, null, some.lease, 1),
    key: pick(random, null, some.key),
    cancels: pick(random, null, some.id, 10_000_000 + Math.floor(random() * 1e6)),
    id: gaps.length > 0 && random() < 0.5 ? pick(random, ...gaps) : null,
  };
  // A unique key of the ledger may refuse it.
  await insert(mysql, run, forged).catch(() => undefined);
}
