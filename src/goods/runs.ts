import { Injectable } from '@nestjs/common';
import { UnknownGoods } from '../errors.js';
import { Gate } from '../gate/gate.js';
import { GoodsCache } from './goods-cache.js';

export interface NewRun {
  readonly goodsId: number;
  readonly runId: number;
  readonly inventory: number;
}

/** A reset starts a new run: the stock is set everywhere, and the ledger keeps its old rows under their run. */
@Injectable()
export class Runs {
  constructor(
    private readonly gate: Gate,
    private readonly cache: GoodsCache,
  ) {}

  async reset(goodsId: number, inventory: number): Promise<NewRun> {
    const run = await this.gate.reopening(goodsId, async (sql, open) => {
      const goods = await sql.one<{ runId: number }>(
        'SELECT run_id AS runId FROM goods WHERE id = ? FOR UPDATE',
        [goodsId],
      );
      if (!goods) throw new UnknownGoods(goodsId);
      // Buyers who still have the ended run in mind find its segments empty, and look again.
      await sql.change('UPDATE stock_segments SET inventory = 0 WHERE run_id = ?', [goods.runId]);
      const { insertId } = await sql.change('INSERT INTO runs (goods_id, initial) VALUES (?, ?)', [
        goodsId,
        inventory,
      ]);
      await sql.change(
        'UPDATE goods SET supply = ?, inventory = ?, run_id = ?, version = version + 1, fence = 0 WHERE id = ?',
        [inventory, inventory, insertId, goodsId],
      );
      // Last, and before COMMIT: without Redis there is no new run, rather than one with an old gate.
      if (this.gate.configured) await open({ runId: insertId, inventory }, 'any');
      return { goodsId, runId: insertId, inventory };
    });
    await this.cache.invalidate(goodsId);
    return run;
  }
}
