import { Injectable } from '@nestjs/common';
import { type SoldOrdersPage } from '../contract/order.js';
import { Database } from '../database/database.js';
import { UnknownGoods } from '../errors.js';

const PAGE = 10_000;

/** The sales of a goods' current run, to compare receipts with the ledger. */
@Injectable()
export class SoldOrders {
  constructor(private readonly database: Database) {}

  async page(goodsId: number, after: number): Promise<SoldOrdersPage> {
    return this.database.connection(async (sql) => {
      const goods = await sql.one<{ runId: number }>('SELECT run_id AS runId FROM goods WHERE id = ?', [
        goodsId,
      ]);
      if (!goods) throw new UnknownGoods(goodsId);
      const rows = await sql.rows<{ id: number; orderId: number }>(
        `SELECT id, COALESCE(number, id) AS orderId FROM orders
         WHERE run_id = ? AND kind = 'SALE' AND id > ? ORDER BY id LIMIT ${PAGE}`,
        [goods.runId, after],
      );
      return {
        runId: goods.runId,
        orderIds: rows.map(({ orderId }) => orderId),
        next: rows.length === PAGE ? (rows.at(-1)?.id ?? null) : null,
      };
    });
  }
}
