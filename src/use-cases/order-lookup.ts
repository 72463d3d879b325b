import { Injectable } from '@nestjs/common';
import { type OrderStatus } from '../contract/order.js';
import { Database } from '../database/database.js';
import { Busy, EngineUnavailable, OrderRefused, UnknownOrder } from '../errors.js';
import { RedisStock } from '../redis-stock/redis-stock.js';
import { FIRST_ORDER_NUMBER } from '../stock/order-numbers.js';

/** A sale as the ledger has it. */
export interface Sale {
  readonly id: number;
  /** Null for a sale from the row in `goods`. */
  readonly segment: number | null;
  readonly goodsId: number;
  readonly runId: number;
  readonly strategy: string;
  readonly quantity: number;
  readonly remaining: number;
  readonly instance: string;
  /** The id of the line that returned it. */
  readonly returnId: number | null;
}

/** What became of an order. */
export type OrderState =
  | { readonly state: 'sold' | 'cancelled'; readonly sale: Sale }
  | { readonly state: 'in-flight' }
  | { readonly state: 'refused'; readonly reason: string };

export function statusOf(orderId: number, order: OrderState): OrderStatus {
  if (!('sale' in order)) return { orderId, ...order };
  const { goodsId, strategy, quantity, remaining, instance } = order.sale;
  return { orderId, state: order.state, goodsId, strategy, quantity, remaining, instance };
}

/** Finds an order by the id on its receipt: in the ledger, among the refused ones, or in flight. */
@Injectable()
export class OrderLookup {
  constructor(
    private readonly database: Database,
    private readonly redisStock: RedisStock,
  ) {}

  async find(orderId: number): Promise<OrderState> {
    const known = await this.inDatabase(orderId);
    if (known) return known;
    if (!isNumber(orderId)) throw new UnknownOrder(orderId);
    if (await this.isInFlight(orderId)) return { state: 'in-flight' };
    // It may have been written between the two reads.
    const written = await this.inDatabase(orderId);
    if (written) return written;
    throw new UnknownOrder(orderId);
  }

  /** The sale. Throws when the order is in another state. */
  async require(orderId: number): Promise<Sale> {
    const order = await this.find(orderId);
    if (order.state === 'refused') throw new OrderRefused(orderId);
    if (order.state === 'in-flight') {
      throw new Busy(`Order ${orderId} is accepted and is being written. Nothing was changed; retry.`);
    }
    return order.sale;
  }

  private inDatabase(orderId: number): Promise<OrderState | undefined> {
    return this.database.connection(async (sql) => {
      const sale = await sql.one<Sale>(
        `SELECT sale.id, sale.segment, sale.goods_id AS goodsId, sale.run_id AS runId, sale.strategy, sale.quantity,
                COALESCE(sale.gate_remaining, sale.after_inventory) AS remaining, sale.instance, back.id AS returnId
         FROM orders AS sale LEFT JOIN orders AS back ON back.cancels = sale.id
         WHERE sale.${isNumber(orderId) ? 'number' : 'id'} = ? AND sale.kind = 'SALE'`,
        [orderId],
      );
      if (sale) return { state: sale.returnId === null ? 'sold' : 'cancelled', sale };
      if (!isNumber(orderId)) return undefined;
      const refused = await sql.one<{ reason: string }>(
        'SELECT reason FROM refused_orders WHERE number = ?',
        [orderId],
      );
      return refused && { state: 'refused', reason: refused.reason };
    });
  }

  private async isInFlight(orderId: number): Promise<boolean> {
    const goods = await this.database.connection((sql) =>
      sql.rows<{ id: number }>(`SELECT id FROM goods WHERE gate_id IS NOT NULL`),
    );
    const states = await Promise.all(goods.map(({ id }) => this.redisStock.read(id)));
    if (states.some((state) => state?.orders.some(({ number }) => number === orderId))) return true;
    if (states.includes(null)) throw new EngineUnavailable('redis');
    return false;
  }
}

/** Orders that Redis accepted are known by their number, all others by their id in the ledger. */
function isNumber(orderId: number): boolean {
  return orderId >= FIRST_ORDER_NUMBER;
}
