import { Inject } from '@nestjs/common';
import { checkpoint } from '../checkpoints/checkpoint.js';
import { SETTINGS, type Settings } from '../config/settings.js';
import { RedisConnection } from '../redis/redis.module.js';
import { Stock } from '../stock/stock.js';
import { type DeductStrategy, Strategy, type Deduction, type DeductOrder } from '../strategies/strategy.js';
import { releaseAfter } from '../strategies/support/release-after.js';
import { setnxKey } from '../strategies/support/setnx.js';
import { untilGranted } from './granted.js';

/** The lock from before SET had options: two commands, and a holder can die between them. */
@Strategy({
  name: 'setnx-then-expire',
  family: 'specimen',
  lesson: 8,
  title: 'SETNX, then EXPIRE',
  stock: 'mysql',
  needs: ['mysql', 'redis'],
  safe: 'never',
  breaksUnder: ['pause', 'pause-both'],
  teaches:
    'The expiry must be set in the command that acquires the lock, or a crash in between leaves the lock for ever.',
})
export class SetnxThenExpire implements DeductStrategy {
  constructor(
    private readonly redis: RedisConnection,
    private readonly stock: Stock,
    @Inject(SETTINGS) private readonly settings: Settings,
  ) {}

  async deduct(order: DeductOrder): Promise<Deduction> {
    const { lockWaitMs, lockLeaseMs } = this.settings;
    const key = setnxKey(order.goodsId);
    const cost = await untilGranted(order, lockWaitMs, async () => {
      const set = await this.redis.run((client) => client.setnx(key, 'taken'));
      return set === 1;
    });
    return releaseAfter(
      async () => {
        await checkpoint('afterLock');
        await this.redis.run((client) => client.pexpire(key, lockLeaseMs));
        return this.stock.sellUnprotected(order, cost);
      },
      () => this.redis.run((client) => client.del(key)),
    );
  }
}
