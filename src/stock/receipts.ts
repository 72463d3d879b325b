import { createHash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { type Receipt } from '../contract/receipt.js';
import { Database } from '../database/database.js';
import { IdempotencyConflict, OrderRefused } from '../errors.js';
import { type BasketOrder } from './order.js';

interface Found extends Receipt {
  readonly requestHash: string | null;
  readonly returnId: number | null;
}

/**
 * What an Idempotency-Key stands for: the strategy and all lines of the request. A key that another request has used for
 * one of these goods in the current run belongs to that request (docs/adr/0021).
 */
export function requestHash({ strategy, items }: Pick<BasketOrder, 'strategy' | 'items'>): string {
  const lines = items.map(({ goodsId, quantity }) => [goodsId, quantity]);
  return createHash('sha256')
    .update(JSON.stringify([strategy, lines]))
    .digest('base64url');
}

/** Finds the receipts that an Idempotency-Key already stands for. */
@Injectable()
export class Receipts {
  constructor(private readonly database: Database) {}

  /** Whether a sale of the current run has used the key. */
  async isUsed(goodsId: number, idempotencyKey: string): Promise<boolean> {
    const row = await this.database.connection(
      (sql) =>
        sql.one(
          `SELECT 1 FROM orders JOIN goods ON goods.id = orders.goods_id AND goods.run_id = orders.run_id
         WHERE orders.goods_id = ? AND orders.idempotency_key = ?`,
          [goodsId, idempotencyKey],
        ),
      { goodsId },
    );
    return row !== undefined;
  }

  /** The first answer to the same request, or undefined when the key has sold none of these goods in their current runs. */
  async find(order: BasketOrder): Promise<Receipt[] | undefined> {
    const { idempotencyKey, items } = order;
    if (idempotencyKey === undefined) return undefined;
    const goods = items.map(({ goodsId }) => goodsId);
    return this.database.connection(async (sql) => {
      const found = await sql.rows<Found>(
        `SELECT COALESCE(orders.number, orders.id) AS orderId, orders.goods_id AS goodsId, orders.strategy,
                orders.quantity, COALESCE(orders.gate_remaining, orders.after_inventory) AS remaining,
                orders.instance, orders.attempts, orders.waited_ms AS waitedMs,
                orders.request_hash AS requestHash, back.id AS returnId
         FROM orders JOIN goods ON goods.id = orders.goods_id AND goods.run_id = orders.run_id
              LEFT JOIN orders AS back ON back.cancels = orders.id
         WHERE orders.goods_id IN (?) AND orders.idempotency_key = ? ORDER BY orders.goods_id`,
        [goods, idempotencyKey],
      );
      if (found.length > 0) return requireSameRequest(order, found);
      const refused = await sql.one<{ orderId: number; requestHash: string | null }>(
        `SELECT number AS orderId, request_hash AS requestHash FROM refused_orders
         JOIN goods ON goods.id = refused_orders.goods_id AND goods.run_id = refused_orders.run_id
         WHERE refused_orders.goods_id IN (?) AND idempotency_key = ? AND reason <> 'key-in-use'`,
        [goods, idempotencyKey],
      );
      if (refused) {
        if (refused.requestHash !== order.requestHash) throw new IdempotencyConflict();
        throw new OrderRefused(refused.orderId);
      }
      return undefined;
    }, order);
  }
}

/** The same key with another body is another request. */
function requireSameRequest(
  { items, strategy, requestHash: wanted }: BasketOrder,
  found: readonly Found[],
): Receipt[] {
  const same =
    found.length === items.length &&
    found.every((receipt, index) =>
      // Orders of an earlier version have no hash: their lines are compared.
      receipt.requestHash === null
        ? receipt.strategy === strategy &&
          receipt.goodsId === items[index]?.goodsId &&
          receipt.quantity === items[index].quantity
        : receipt.requestHash === wanted,
    );
  if (!same) throw new IdempotencyConflict();
  return found.map(receiptOf);
}

function receiptOf({ orderId, goodsId, strategy, quantity, remaining, instance, ...found }: Found): Receipt {
  const { attempts, waitedMs, returnId } = found;
  const receipt = { orderId, goodsId, strategy, quantity, remaining, instance, attempts, waitedMs };
  return returnId === null ? receipt : { ...receipt, cancelled: true };
}
