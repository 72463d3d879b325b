import { Inject, Injectable } from '@nestjs/common';
import { SETTINGS, type Settings } from '../config/settings.js';
import { Database } from '../database/database.js';
import { type Sql } from '../database/sql.js';
import { RunEnded, UnknownOrder } from '../errors.js';
import { Reservations } from '../gate/reservations.js';
import { GoodsCache } from './goods-cache.js';
import { FIRST_ORDER_NUMBER } from './order-numbers.js';
import { lockSegment, readSplitStock, writeRow, writeSegment } from './segments.js';

export interface Cancellation {
  readonly orderId: number;
  readonly returnId: number;
  readonly goodsId: number;
  readonly quantity: number;
  readonly remaining: number;
  /** False when an earlier call had given the stock back already. */
  readonly returned: boolean;
}

interface SaleRow {
  readonly id: number;
  /** Null for a sale that did not pass the Redis gate. */
  readonly number: number | null;
  /** Null for a sale from the row in `goods`. */
  readonly segment: number | null;
  readonly goodsId: number;
  readonly runId: number;
  readonly strategy: string;
  readonly quantity: number;
}

/** Gives the stock of a sale back, once, however often it is asked to: the row lock serialises the askers. */
@Injectable()
export class Cancellations {
  constructor(
    private readonly database: Database,
    private readonly cache: GoodsCache,
    private readonly reservations: Reservations,
    @Inject(SETTINGS) private readonly settings: Settings,
  ) {}

  async cancel(orderId: number): Promise<Cancellation> {
    const cancellation = await this.database.connection(async (connection) => {
      // Read before the transaction, whose snapshot must not begin before the row lock.
      const sale = await connection.one<SaleRow>(
        `SELECT id, number, segment, goods_id AS goodsId, run_id AS runId, strategy, quantity FROM orders
         WHERE ${isNumber(orderId) ? 'number' : 'id'} = ? AND kind = 'SALE'`,
        [orderId],
      );
      if (!sale) throw new UnknownOrder(orderId);
      return this.database.transactionOn(connection, (sql) => this.giveBack(sql, orderId, sale));
    });
    const { goodsId, returned } = cancellation;
    // MySQL has the stock back. Should this fail, the reconciler finds the announcement.
    if (returned && isNumber(orderId)) {
      await this.reservations.completeReturn(goodsId, orderId).catch(() => undefined);
    }
    await this.cache.invalidate(goodsId);
    return cancellation;
  }

  private async giveBack(sql: Sql, orderId: number, sale: SaleRow): Promise<Cancellation> {
    const { goodsId, runId, segment, quantity } = sale;
    const goods = await sql.one<{ inventory: number; runId: number }>(
      'SELECT inventory, run_id AS runId FROM goods WHERE id = ? FOR UPDATE',
      [goodsId],
    );
    // The goods' row first, then the segment: in this order everybody locks who needs both.
    const before = segment === null ? goods?.inventory : await lockSegment(sql, runId, segment);
    const earlier = await sql.one<{ returnId: number; remaining: number }>(
      `SELECT id AS returnId, COALESCE(gate_remaining, after_inventory) AS remaining FROM orders
       WHERE cancels = ?`,
      [sale.id],
    );
    if (earlier) return { orderId, goodsId, quantity, ...earlier, returned: false };
    if (before === undefined || goods?.runId !== runId) throw new RunEnded();
    const after = before + quantity;
    if (segment === null) await writeRow(sql, goodsId, after);
    else await writeSegment(sql, runId, segment, after);
    const remaining = segment === null ? after : (await readSplitStock(sql, goodsId)).inventory;
    const { insertId } = await sql.change(
      `INSERT INTO orders (kind, run_id, goods_id, strategy, quantity, instance, segment,
                           before_inventory, after_inventory, gate_remaining, attempts, waited_ms, cancels)
       VALUES ('RETURN', ?, ?, ?, ?, ?, ?, ?, ?, ?, 1, 0, ?)`,
      [
        runId,
        goodsId,
        sale.strategy,
        quantity,
        this.settings.instance,
        segment,
        before,
        after,
        segment === null ? null : remaining,
        sale.id,
      ],
    );
    // Last, and with the row locked: only who has given back in MySQL owes the gate, and owes it once.
    if (sale.number !== null) await this.reservations.announceReturn(goodsId, sale.number, quantity);
    return { orderId, returnId: insertId, goodsId, quantity, remaining, returned: true };
  }
}

/** Sales that passed the Redis gate are known by their number, all others by their id in the ledger. */
function isNumber(orderId: number): boolean {
  return orderId >= FIRST_ORDER_NUMBER;
}
