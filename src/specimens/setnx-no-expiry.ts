import { Inject } from '@nestjs/common';
import { checkpoint } from '../checkpoints/checkpoint.js';
import { SETTINGS, type Settings } from '../config/settings.js';
import { RedisConnection } from '../redis/redis.module.js';
import { Stock } from '../stock/stock.js';
import { type DeductStrategy, Strategy, type Deduction, type DeductOrder } from '../strategies/strategy.js';
import { releaseAfter } from '../strategies/support/release-after.js';
import { setnxKey } from '../strategies/support/setnx.js';
import { untilGranted } from './granted.js';

/** SETNX alone: only the holder can release the lock, and a dead process cannot. */
@Strategy({
  name: 'setnx-no-expiry',
  family: 'specimen',
  lesson: 9,
  title: 'SETNX without an expiry',
  stock: 'mysql',
  needs: ['mysql', 'redis'],
  safe: 'always',
  breaksUnder: ['failover', 'empty-restart', 'eviction', 'lost-reply'],
  teaches: 'A finally block does not run in a process that was killed.',
})
export class SetnxNoExpiry implements DeductStrategy {
  constructor(
    private readonly redis: RedisConnection,
    private readonly stock: Stock,
    @Inject(SETTINGS) private readonly settings: Settings,
  ) {}

  async deduct(order: DeductOrder): Promise<Deduction> {
    const key = setnxKey(order.goodsId);
    const cost = await untilGranted(order, this.settings.lockWaitMs, async () => {
      const set = await this.redis.run((client) => client.setnx(key, 'taken'));
      return set === 1;
    });
    return releaseAfter(
      async () => {
        await checkpoint('afterLock');
        return this.stock.sellUnprotected(order, cost);
      },
      () => this.redis.run((client) => client.del(key)),
    );
  }
}
