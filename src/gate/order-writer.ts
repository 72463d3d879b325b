import { Injectable } from '@nestjs/common';
import { Database } from '../database/database.js';
import { type Sql } from '../database/sql.js';
import { Ledger, type NumberedSale } from '../goods/ledger.js';
import { known, type StockRow } from '../goods/stock.js';
import { type AcceptedOrder } from './accepted-order.js';
import { writtenNumbers } from './gate.js';

export interface Written {
  /** Orders that were accepted and cannot be kept: the gate had let more pass than there was. */
  readonly refused: readonly AcceptedOrder[];
  /** The gate that the goods' row names. */
  readonly gateId: string | null;
}

/**
 * Writes accepted orders into MySQL, each exactly once: the row lock lets one writer at a time look which of them the
 * ledger has, and the unique number stands behind it. A batch is one commit.
 */
@Injectable()
export class OrderWriter {
  constructor(
    private readonly database: Database,
    private readonly ledger: Ledger,
  ) {}

  write(goodsId: number, orders: readonly AcceptedOrder[]): Promise<Written> {
    return this.database.transaction(async (sql) => {
      const row = await sql.one<StockRow & { gateId: string | null }>(
        'SELECT inventory, version, run_id AS runId, gate_id AS gateId FROM goods WHERE id = ? FOR UPDATE',
        [goodsId],
      );
      const { inventory, runId } = known(goodsId, row);
      const { sales, refused, left } = share(await this.unwritten(sql, goodsId, orders), runId, inventory);
      if (left < inventory) {
        const taken = inventory - left;
        await sql.change(
          `UPDATE goods SET inventory = inventory - ?, version = version + 1
           WHERE id = ? AND run_id = ? AND inventory >= ?`,
          [taken, goodsId, runId, taken],
        );
      }
      if (sales.length > 0) await this.ledger.numbered(sql, goodsId, sales);
      return { refused, gateId: row?.gateId ?? null };
    });
  }

  /** Without those that an earlier attempt has written, and marked where another order has used the same key. */
  private async unwritten(
    sql: Sql,
    goodsId: number,
    orders: readonly AcceptedOrder[],
  ): Promise<(AcceptedOrder & { readonly keyTaken: boolean })[]> {
    const written = await writtenNumbers(
      sql,
      orders.map(({ number }) => number),
    );
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

/**
 * Shares the stock out, in the order of the stream. An order of a run that has ended goes into the ledger under its
 * run, because its buyer was told yes; the stock that it came from is gone with the run.
 */
function share(
  orders: readonly (AcceptedOrder & { readonly keyTaken: boolean })[],
  runId: number,
  inventory: number,
): { sales: NumberedSale[]; refused: AcceptedOrder[]; left: number } {
  const sales: NumberedSale[] = [];
  const refused: AcceptedOrder[] = [];
  let left = inventory;
  for (const order of orders) {
    const { quantity, remaining } = order;
    const ended = order.runId !== runId;
    if (order.keyTaken || (!ended && quantity > left)) {
      refused.push(order);
      continue;
    }
    sales.push({ ...order, before: ended ? remaining + quantity : left, gateRemaining: remaining });
    if (!ended) left -= quantity;
  }
  return { sales, refused, left };
}
