import { Injectable } from '@nestjs/common';
import { type Cancellation } from '../contract/order.js';
import { Database } from '../database/database.js';
import { type Sql } from '../database/sql.js';
import { RunEnded } from '../errors.js';
import { GoodsChanges } from '../redis-stock/goods-changes.js';
import { Reservations } from '../redis-stock/reservations.js';
import { Ledger } from '../stock/ledger.js';
import { lockSegment, readSplitStock, writeRow, writeSegment } from '../stock/segments.js';
import { lockStock } from '../stock/stock.js';
import { OrderLookup, type Sale } from './order-lookup.js';

/** The `last_writer` of a return. It is not the name of a strategy, so the next absolute write compares the version. */
const RETURN = 'return';

/** Returns the stock of a sale, once, however often it is called: the row lock serialises the calls. */
@Injectable()
export class Cancellations {
  constructor(
    private readonly database: Database,
    private readonly changes: GoodsChanges,
    private readonly reservations: Reservations,
    private readonly ledger: Ledger,
    private readonly orders: OrderLookup,
  ) {}

  async cancel(orderId: number): Promise<Cancellation> {
    // Read before the transaction, whose snapshot must not begin before the row lock.
    const sale = await this.orders.require(orderId);
    const { inRedis, ...cancellation } = await this.database.transaction(
      (sql) => this.returnStock(sql, orderId, sale),
      { goodsId: sale.goodsId },
    );
    // MySQL has the stock. If this fails, the reconciler finds the announcement.
    if (inRedis) await this.reservations.completeReturn(sale.goodsId, orderId).catch(() => undefined);
    await this.changes.announce(sale.goodsId);
    return cancellation;
  }

  private async returnStock(
    sql: Sql,
    orderId: number,
    sale: Sale,
  ): Promise<Cancellation & { readonly inRedis: boolean }> {
    const { goodsId, runId, quantity, strategy } = sale;
    const goods = await lockStock(sql, goodsId);
    // While the stock is in segments, the units go to the segment that they were sold from; otherwise to the goods' row.
    const segment = goods.stockIn === 'segments' && goods.runId === runId ? sale.segment : null;
    // The goods' row first, then the segment: every transaction that needs both locks them in this order.
    const before = segment === null ? goods.inventory : ((await lockSegment(sql, runId, segment)) ?? 0);
    const earlier = await sql.one<{ returnId: number; remaining: number }>(
      `SELECT id AS returnId, COALESCE(gate_remaining, after_inventory) AS remaining FROM orders
       WHERE cancels = ?`,
      [sale.id],
    );
    if (earlier) return { orderId, goodsId, quantity, ...earlier, returned: false, inRedis: false };
    if (goods.runId !== runId) throw new RunEnded();
    const after = before + quantity;
    if (segment === null) await writeRow(sql, goodsId, after, RETURN);
    else await writeSegment(sql, runId, segment, after);
    const remaining = segment === null ? after : (await readSplitStock(sql, goodsId)).inventory;
    const returnId = await this.ledger.return(sql, {
      ...{ saleId: sale.id, runId, goodsId, strategy, quantity, segment, before, remaining },
    });
    // Last, and with the row locked, so that Redis gets exactly the units that MySQL got, and once.
    const inRedis = goods.stockIn === 'redis';
    if (inRedis) await this.reservations.announceReturn(goodsId, orderId, quantity);
    return { orderId, returnId, goodsId, quantity, remaining, returned: true, inRedis };
  }
}
