import { Injectable, Logger } from '@nestjs/common';
import { Counter } from 'prom-client';
import { Database } from '../database/database.js';
import { type Sql } from '../database/sql.js';
import { Metrics } from '../metrics/metrics.js';
import { Ledger, type NumberedSale } from '../stock/ledger.js';
import { known } from '../stock/stock.js';
import { type AcceptedOrder } from './accepted-order.js';

export type RefusalReason = 'out-of-stock' | 'key-in-use';

export interface RefusedOrder extends AcceptedOrder {
  readonly reason: RefusalReason;
}

export interface Written {
  /** Orders that MySQL refused: Redis had accepted more than the stock. */
  readonly refused: readonly RefusedOrder[];
  /** The id of the Redis stock that the goods' row names. */
  readonly gateId: string | null;
}

interface Row {
  readonly inventory: number;
  readonly runId: number;
  readonly gateId: string | null;
}

/**
 * Writes accepted orders into MySQL, each exactly once: under the row lock one writer at a time checks which of them the
 * ledger has, and order numbers are unique. A batch is one commit. A refused order is recorded in the same commit: its
 * client has a receipt and must be able to look up the outcome.
 */
@Injectable()
export class OrderWriter {
  private readonly log = new Logger('Orders');
  private readonly refused: Counter;

  constructor(
    private readonly database: Database,
    private readonly ledger: Ledger,
    metrics: Metrics,
  ) {
    this.refused = new Counter({
      name: 'lockstock_accepted_orders_refused_total',
      help: 'Orders that Redis accepted and MySQL refused; their buyers have receipts',
      registers: [metrics.registry],
    });
  }

  async write(goodsId: number, orders: readonly AcceptedOrder[]): Promise<Written> {
    const written = await this.database.transaction((sql) => this.writeOn(sql, goodsId, orders), { goodsId });
    this.report(goodsId, written);
    return written;
  }

  /** Logs and counts the refused orders; called after the COMMIT. */
  report(goodsId: number, { refused }: Written): void {
    for (const { number, strategy, reason } of refused) {
      this.log.error(
        `order ${number} (${strategy}, goods ${goodsId}) was accepted by Redis and refused by MySQL: ${reason}`,
      );
      this.refused.inc();
    }
  }

  /** The same inside the caller's transaction; the caller reports after its COMMIT. */
  async writeOn(sql: Sql, goodsId: number, orders: readonly AcceptedOrder[]): Promise<Written> {
    const row = await sql.one<Row>(
      'SELECT inventory, run_id AS runId, gate_id AS gateId FROM goods WHERE id = ? FOR UPDATE',
      [goodsId],
    );
    const { inventory, runId, gateId } = known(goodsId, row);
    const { sales, refused, left } = share(await this.unwritten(sql, goodsId, orders), runId, inventory);
    const [last] = sales.slice(-1);
    if (left < inventory && last) {
      const taken = inventory - left;
      await sql.change(
        `UPDATE goods SET inventory = inventory - ?, version = version + 1, last_writer = ?
         WHERE id = ? AND run_id = ? AND inventory >= ?`,
        [taken, last.strategy, goodsId, runId, taken],
      );
    }
    if (sales.length > 0) await this.ledger.numbered(sql, goodsId, sales);
    if (refused.length > 0) await recordRefused(sql, goodsId, refused);
    return { refused, gateId };
  }

  /** Without those that an earlier attempt has written, and marked where another order has used the same key. */
  private async unwritten(
    sql: Sql,
    goodsId: number,
    orders: readonly AcceptedOrder[],
  ): Promise<(AcceptedOrder & { readonly keyTaken: boolean })[]> {
    const numbers = orders.map(({ number }) => number);
    const written = await writtenNumbers(sql, numbers);
    for (const number of await refusedNumbers(sql, numbers)) written.add(number);
    const fresh = orders.filter(({ number }) => !written.has(number));
    const taken = await this.takenKeys(sql, goodsId, fresh);
    return fresh.map((order) => {
      if (order.idempotencyKey === null) return { ...order, keyTaken: false };
      const key = `${order.runId} ${order.idempotencyKey}`;
      const keyTaken = taken.has(key);
      taken.add(key);
      return { ...order, keyTaken };
    });
  }

  private async takenKeys(sql: Sql, goodsId: number, orders: readonly AcceptedOrder[]): Promise<Set<string>> {
    const keys = orders.flatMap(({ idempotencyKey }) => idempotencyKey ?? []);
    if (keys.length === 0) return new Set();
    const rows = await sql.rows<{ runId: number; idempotencyKey: string }>(
      `SELECT run_id AS runId, idempotency_key AS idempotencyKey FROM orders
       WHERE goods_id = ? AND run_id IN (?) AND idempotency_key IN (?)`,
      [goodsId, [...new Set(orders.map(({ runId }) => runId))], keys],
    );
    return new Set(rows.map(({ runId, idempotencyKey }) => `${runId} ${idempotencyKey}`));
  }
}

/** Which of these order numbers the ledger has. */
export async function writtenNumbers(sql: Sql, numbers: readonly number[]): Promise<Set<number>> {
  if (numbers.length === 0) return new Set();
  const rows = await sql.rows<{ number: number }>('SELECT number FROM orders WHERE number IN (?)', [numbers]);
  return new Set(rows.map(({ number }) => number));
}

/** Which of these order numbers were refused. */
export async function refusedNumbers(sql: Sql, numbers: readonly number[]): Promise<number[]> {
  if (numbers.length === 0) return [];
  const rows = await sql.rows<{ number: number }>('SELECT number FROM refused_orders WHERE number IN (?)', [
    numbers,
  ]);
  return rows.map(({ number }) => number);
}

async function recordRefused(sql: Sql, goodsId: number, refused: readonly RefusedOrder[]): Promise<void> {
  await sql.change(
    `INSERT INTO refused_orders (number, run_id, goods_id, strategy, quantity, idempotency_key, request_hash, reason)
     VALUES ?`,
    [
      refused.map((order) => [
        order.number,
        order.runId,
        goodsId,
        order.strategy,
        order.quantity,
        order.idempotencyKey,
        order.requestHash,
        order.reason,
      ]),
    ],
  );
}

/**
 * Assigns the stock, in the order of the stream. An order of a run that has ended goes into the ledger under its
 * run, because its client has a receipt; its stock ended with the run.
 */
function share(
  orders: readonly (AcceptedOrder & { readonly keyTaken: boolean })[],
  runId: number,
  inventory: number,
): { sales: NumberedSale[]; refused: RefusedOrder[]; left: number } {
  const sales: NumberedSale[] = [];
  const refused: RefusedOrder[] = [];
  let left = inventory;
  for (const order of orders) {
    const { quantity, remaining } = order;
    const ended = order.runId !== runId;
    if (order.keyTaken || (!ended && quantity > left)) {
      refused.push({ ...order, reason: order.keyTaken ? 'key-in-use' : 'out-of-stock' });
      continue;
    }
    sales.push({ ...order, before: ended ? remaining + quantity : left, toldRemaining: remaining });
    if (!ended) left -= quantity;
  }
  return { sales, refused, left };
}
