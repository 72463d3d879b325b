import { isDeepStrictEqual } from 'node:util';
import {
  type BeforeApplicationShutdown,
  Inject,
  Injectable,
  Logger,
  type OnApplicationBootstrap,
} from '@nestjs/common';
import { Counter } from 'prom-client';
import { SETTINGS, type Settings } from '../config/settings.js';
import { Database } from '../database/database.js';
import { Metrics } from '../metrics/metrics.js';
import { RedisConnection } from '../redis/redis.module.js';
import { ALL_REDIS_STOCKS } from './redis-stock-keys.js';
import { RedisStock, type WrongStock } from './redis-stock.js';
import { type Difference, differencesOf } from './stock-difference.js';

const LOOKS_PER_TIMEOUT = 5;
/** How many goods one round compares; the next round continues with the rest. */
const GOODS_PER_LOOK = 50;

/**
 * Compares the Redis stock of each goods with MySQL, all the time, and rebuilds it where they differ. An order in flight is
 * a difference for a moment, so a difference counts only when it is unchanged after the time that a sale may take.
 * Rebuilding is idempotent, so several instances may do it.
 */
@Injectable()
export class Reconciler implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly log = new Logger('Reconciler');
  /** When this instance first saw a difference, by its own clock only. */
  private readonly firstSeen = new Map<number, ReadonlyMap<string, number>>();
  private readonly repairs: Counter<'difference'>;
  private timer: NodeJS.Timeout | undefined;
  private looking: Promise<void> | undefined;
  private lastLooked = 0;

  constructor(
    private readonly redis: RedisConnection,
    private readonly database: Database,
    private readonly redisStock: RedisStock,
    metrics: Metrics,
    @Inject(SETTINGS) private readonly settings: Settings,
  ) {
    this.repairs = new Counter({
      name: 'lockstock_redis_stock_repairs_total',
      help: 'Times that this instance rebuilt the Redis stock of a goods because it differed from MySQL',
      labelNames: ['difference'],
      registers: [metrics.registry],
    });
  }

  onApplicationBootstrap(): void {
    if (!this.redis.configured) return;
    this.timer = setInterval(() => {
      this.looking ??= this.look()
        .catch((error: unknown) => {
          this.log.warn((error as Error).message);
        })
        .finally(() => (this.looking = undefined));
    }, this.settings.redisOrderTimeoutMs / LOOKS_PER_TIMEOUT);
  }

  async beforeApplicationShutdown(): Promise<void> {
    clearInterval(this.timer);
    await this.looking;
  }

  private async look(): Promise<void> {
    if (!this.redis.up) return;
    for (const goodsId of await this.nextGoods()) {
      const redisState = await this.redisStock.read(goodsId);
      if (!redisState) return;
      const differences = await this.database.transaction((sql) => differencesOf(sql, goodsId, redisState), {
        goodsId,
      });
      const since = this.firstSeen.get(goodsId);
      // Redis and MySQL have no common snapshot. But if the Redis stock is the same before and after the read of MySQL, it did not change.
      if (differences.length > 0 && !isDeepStrictEqual(redisState, await this.redisStock.read(goodsId)))
        continue;
      const now = performance.now();
      const names = differences.map(({ detail }) => `${redisState.id ?? 'no Redis stock'}: ${detail}`);
      const seen = new Map(names.map((name) => [name, since?.get(name) ?? now]));
      const lasting = differences.find(
        (_, index) => now - (seen.get(names[index] ?? '') ?? now) > this.settings.redisOrderTimeoutMs,
      );
      if (lasting)
        await this.repair(goodsId, redisState.id === null ? 'missing' : { id: redisState.id }, lasting);
      if (seen.size === 0 || lasting) this.firstSeen.delete(goodsId);
      else this.firstSeen.set(goodsId, seen);
    }
  }

  private async repair(goodsId: number, wrong: WrongStock, { kind, detail }: Difference): Promise<void> {
    this.log.warn(`goods ${goodsId}: ${detail}; the Redis stock is rebuilt from MySQL`);
    await this.redisStock.rebuild(goodsId, wrong);
    this.repairs.inc({ difference: kind });
  }

  /** Goods that have or had a Redis stock, a page at a time: the cost of a round must not grow with the catalogue. */
  private async nextGoods(): Promise<number[]> {
    const all = (await this.redis.run((client) => client.smembers(ALL_REDIS_STOCKS)))
      .map(Number)
      .sort((a, b) => a - b);
    const page = all.filter((id) => id > this.lastLooked).slice(0, GOODS_PER_LOOK);
    this.lastLooked = page.length === GOODS_PER_LOOK ? (page.at(-1) ?? 0) : 0;
    return page;
  }
}
