import { Injectable } from '@nestjs/common';
import { Script } from '../locks/index.js';
import { Metrics } from '../metrics/metrics.js';
import { RedisConnection } from '../redis/redis.module.js';
import { RedisLocks } from '../strategies/redis-locks.js';
import { type Goods } from './goods.entity.js';

const KEEP_MS = 1000;
const REBUILD_WAIT_MS = 1000;
const KEEP = new Script<0 | 1>(new URL('goods-cache.lua', import.meta.url));

/**
 * A read-through cache of single goods. When a hot entry expires, a lock lets one request rebuild it while the others
 * wait for the result instead of all storming the database. Without Redis every read goes to the database.
 */
@Injectable()
export class GoodsCache {
  private readonly changed = new Map<number, Promise<void>>();

  constructor(
    private readonly redis: RedisConnection,
    private readonly locks: RedisLocks,
    private readonly metrics: Metrics,
  ) {}

  async read(goodsId: number, load: () => Promise<Goods>): Promise<Goods> {
    const [page] = keys(goodsId);
    if (!this.redis.up) return this.loaded(load);
    const cached = await this.lookUp(page);
    if (cached) return cached;
    const rebuild = async () => (await this.lookUp(page)) ?? (await this.rebuild(goodsId, load));
    try {
      return await this.locks.plain.using(`page:${goodsId}`, { waitMs: REBUILD_WAIT_MS }, rebuild);
    } catch (error) {
      // Slow rebuilds and a Redis that goes away must not make goods unreadable.
      if (error instanceof Error && 'type' in error && error.type !== 'lock-timeout') throw error;
      return this.loaded(load);
    }
  }

  /** Call after every change. Changes of the same moment share one round trip. */
  invalidate(goodsId: number): Promise<void> {
    if (!this.redis.up) return Promise.resolve();
    const pending = this.changed.get(goodsId);
    if (pending) return pending;
    const flush = new Promise<void>(setImmediate).then(async () => {
      this.changed.delete(goodsId);
      const [page, changes] = keys(goodsId);
      await this.redis.run((client) => client.multi().incr(changes).del(page).exec()).catch(() => undefined);
    });
    this.changed.set(goodsId, flush);
    return flush;
  }

  private async rebuild(goodsId: number, load: () => Promise<Goods>): Promise<Goods> {
    const [page, changes] = keys(goodsId);
    const before = (await this.redis.run((client) => client.get(changes))) ?? '0';
    const goods = await this.loaded(load);
    await this.redis.run((client) =>
      KEEP.run(client, [page, changes], [before, JSON.stringify(goods), KEEP_MS]),
    );
    return goods;
  }

  private async lookUp(page: string): Promise<Goods | undefined> {
    const text = await this.redis.run((client) => client.get(page)).catch(() => null);
    if (text === null) return undefined;
    this.metrics.goodsReads.inc({ source: 'cache' });
    return JSON.parse(text) as Goods;
  }

  private loaded(load: () => Promise<Goods>): Promise<Goods> {
    this.metrics.goodsReads.inc({ source: 'database' });
    return load();
  }
}

function keys(goodsId: number): [page: string, changes: string] {
  const base = `lockstock:{goods:${goodsId}}`;
  return [`${base}:page`, `${base}:changes`];
}
