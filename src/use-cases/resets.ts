import { Injectable } from '@nestjs/common';
import { type NewRun } from '../contract/order.js';
import { Database } from '../database/database.js';
import { GoodsChanges } from '../redis-stock/goods-changes.js';
import { RedisStock } from '../redis-stock/redis-stock.js';
import { lockStock } from '../stock/stock.js';

/** A reset starts a new run with new stock. The lines of earlier runs stay in the ledger. */
@Injectable()
export class Resets {
  constructor(
    private readonly database: Database,
    private readonly redisStock: RedisStock,
    private readonly changes: GoodsChanges,
  ) {}

  /** `stock`: where the run begins. The first sale by a strategy of the other kind moves it. */
  async reset(goodsId: number, inventory: number, stock: 'mysql' | 'redis' = 'mysql'): Promise<NewRun> {
    const { written, ...run } = await this.database.transaction(async (sql) => {
      const ended = await lockStock(sql, goodsId);
      // Orders that Redis has accepted belong to the ended run: they are written before it ends.
      const written = ended.stockIn === 'redis' ? await this.redisStock.moveToMysql(sql, goodsId) : undefined;
      // A sale of `segmented` that read the ended run finds its segments empty, and reads again.
      await sql.change('UPDATE stock_segments SET inventory = 0 WHERE run_id = ?', [ended.runId]);
      const { insertId } = await sql.change('INSERT INTO runs (goods_id, initial) VALUES (?, ?)', [
        goodsId,
        inventory,
      ]);
      await sql.change(
        `UPDATE goods SET supply = ?, inventory = ?, run_id = ?, version = version + 1, fence = 0,
                          stock_in = 'mysql', last_writer = 'reset' WHERE id = ?`,
        [inventory, inventory, insertId, goodsId],
      );
      return { goodsId, runId: insertId, inventory, written };
    });
    if (written) this.redisStock.report(goodsId, written);
    // The run exists. If this fails, the first sale from Redis moves the stock.
    if (stock === 'redis' && this.redisStock.configured) {
      await this.redisStock.moveToRedis(goodsId).catch(() => undefined);
    }
    await this.changes.announce(goodsId);
    return run;
  }
}
