import { Injectable } from '@nestjs/common';
import { RedisConnection } from '../redis/redis.module.js';
import { OneAtATime } from './one-at-a-time.js';

/** The keys of the cache of one goods: the cached goods, and how often the goods have changed. */
export function goodsCacheKeys(goodsId: number): [page: string, changes: string] {
  const base = `lockstock:{goods:${goodsId}}`;
  return [`${base}:page`, `${base}:changes`];
}

/** Tells the cache of every instance that goods have changed. Without Redis there is no cache. */
@Injectable()
export class GoodsChanges {
  private readonly rounds = new OneAtATime<number, void>(
    (goodsId) => this.send(goodsId),
    () => new Promise(setImmediate),
  );

  constructor(private readonly redis: RedisConnection) {}

  /**
   * Call after every change of the row in MySQL, and wait for it before the change is acknowledged. An instance has one
   * round trip per goods under way; changes that are committed meanwhile share the next one.
   */
  announce(goodsId: number): Promise<void> {
    return this.redis.up ? this.rounds.run(goodsId) : Promise.resolve();
  }

  private async send(goodsId: number): Promise<void> {
    const [page, changes] = goodsCacheKeys(goodsId);
    await this.redis.run((client) => client.multi().incr(changes).del(page).exec()).catch(() => undefined);
  }
}
