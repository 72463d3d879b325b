import { Injectable } from '@nestjs/common';
import { Database } from '../database/database.js';
import { Segments } from '../stock/segments.js';
import { lockStock } from '../stock/stock.js';
import { RedisStock } from './redis-stock.js';

/** Moves the stock of a goods back into its row, for a strategy that sells from there (docs/adr/0020). */
@Injectable()
export class StockMoves {
  private readonly moving = new Map<number, Promise<void>>();

  constructor(
    private readonly database: Database,
    private readonly segments: Segments,
    private readonly redisStock: RedisStock,
  ) {}

  /** One move at a time serves all orders of this instance that wait for it. */
  toMysql(goodsId: number): Promise<void> {
    const running = this.moving.get(goodsId);
    if (running) return running;
    const move = this.move(goodsId).finally(() => this.moving.delete(goodsId));
    this.moving.set(goodsId, move);
    return move;
  }

  private async move(goodsId: number): Promise<void> {
    const written = await this.database.transaction(
      async (sql) => {
        const { stockIn, runId } = await lockStock(sql, goodsId);
        if (stockIn === 'segments') await this.segments.collect(sql, goodsId, runId);
        return stockIn === 'redis' ? this.redisStock.moveToMysql(sql, goodsId) : undefined;
      },
      { goodsId },
    );
    if (written) this.redisStock.report(goodsId, written);
  }
}
