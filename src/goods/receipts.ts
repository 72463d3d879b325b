import { Injectable } from '@nestjs/common';
import { Database } from '../database/database.js';
import { IdempotencyConflict } from '../errors.js';
import { type BasketOrder } from '../strategies/strategy.js';

/** What the buyer gets for one line of an order. Everything in it is in the ledger, so it can be said again. */
export interface Receipt {
  readonly orderId: number;
  readonly goodsId: number;
  readonly strategy: string;
  readonly quantity: number;
  readonly remaining: number;
  readonly instance: string;
  readonly attempts: number;
  readonly waitedMs: number;
}

/** A receipt as it is handed out, with the secret that cancels the order. */
export interface SignedReceipt extends Receipt {
  readonly cancelToken: string;
}

/** Finds the receipts that an Idempotency-Key already stands for. */
@Injectable()
export class Receipts {
  constructor(private readonly database: Database) {}

  /** The first answer to the same order, or undefined for a key that has sold nothing in the present runs. */
  async find({ idempotencyKey, items }: BasketOrder): Promise<Receipt[] | undefined> {
    if (idempotencyKey === undefined) return undefined;
    const found = await this.database.connection((sql) =>
      sql.rows<Receipt>(
        `SELECT COALESCE(number, orders.id) AS orderId, goods_id AS goodsId, strategy, quantity,
                COALESCE(gate_remaining, after_inventory) AS remaining, instance, attempts, waited_ms AS waitedMs
         FROM orders JOIN goods ON goods.id = orders.goods_id AND goods.run_id = orders.run_id
         WHERE goods_id IN (?) AND idempotency_key = ? ORDER BY goods_id`,
        [items.map(({ goodsId }) => goodsId), idempotencyKey],
      ),
    );
    return found.length === 0 ? undefined : found;
  }
}

/** The same key with another body is another request. */
export function requireSameOrder({ items, strategy }: BasketOrder, found: readonly Receipt[]): void {
  const same =
    found.length === items.length &&
    found.every(
      (receipt, index) =>
        receipt.strategy === strategy &&
        receipt.goodsId === items[index]?.goodsId &&
        receipt.quantity === items[index].quantity,
    );
  if (!same) throw new IdempotencyConflict();
}
