import { Injectable } from '@nestjs/common';
import { Script } from '../locks/index.js';
import { Metrics } from '../metrics/metrics.js';
import { goodsCacheKeys } from '../redis-stock/goods-changes.js';
import { RedisConnection } from '../redis/redis.module.js';
import { type Goods } from '../stock/goods.entity.js';
import { GoodsLocks } from '../strategies/support/goods-locks.js';

const KEEP_MS = 1000;
const REBUILD_WAIT_MS = 1000;
const KEEP = new Script<0 | 1>(new URL('goods-cache.lua', import.meta.url));

/**
 * A read-through cache of single goods. When a hot entry expires, a lock lets one request rebuild it while the others
 * wait for the result instead of all reading the database. Without Redis every read goes to the database.
 */
@Injectable()
export class GoodsCache {
  constructor(
    private readonly redis: RedisConnection,
    private readonly locks: GoodsLocks,
    private readonly metrics: Metrics,
  ) {}

  /**
   * Resolves with the cached goods, or with the outcome of `load`, which runs at most once. A failure of Redis or of the
   * lock does not change the outcome.
   */
  async read(goodsId: number, load: () => Promise<Goods>): Promise<Goods> {
    let loading: Promise<Goods> | undefined;
    const loadOnce = () => (loading ??= this.loaded(load));
    if (!this.redis.up) return loadOnce();
    try {
      return (await this.lookUp(goodsId)) ?? (await this.rebuildAlone(goodsId, loadOnce));
    } catch {
      return loadOnce();
    }
  }

  private rebuildAlone(goodsId: number, load: () => Promise<Goods>): Promise<Goods> {
    return this.locks.plain.lock.using(
      `page:${goodsId}`,
      { waitMs: REBUILD_WAIT_MS },
      // Another request may have rebuilt it while this one waited.
      async () => (await this.lookUp(goodsId)) ?? (await this.rebuild(goodsId, load)),
    );
  }

  private async rebuild(goodsId: number, load: () => Promise<Goods>): Promise<Goods> {
    const [page, changes] = goodsCacheKeys(goodsId);
    const before = (await this.redis.run((client) => client.get(changes))) ?? '0';
    const goods = await load();
    await this.redis.run((client) =>
      KEEP.run(client, [page, changes], [before, JSON.stringify(goods), KEEP_MS]),
    );
    return goods;
  }

  private async lookUp(goodsId: number): Promise<Goods | undefined> {
    const [page] = goodsCacheKeys(goodsId);
    const text = await this.redis.run((client) => client.get(page));
    if (text === null) return undefined;
    const goods = JSON.parse(text) as Goods;
    this.metrics.goodsReads.inc({ source: 'cache' });
    return goods;
  }

  private loaded(load: () => Promise<Goods>): Promise<Goods> {
    this.metrics.goodsReads.inc({ source: 'database' });
    return load();
  }
}
