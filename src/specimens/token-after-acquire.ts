import { randomUUID } from 'node:crypto';
import { Inject } from '@nestjs/common';
import { checkpoint } from '../checkpoints/checkpoint.js';
import { SETTINGS, type Settings } from '../config/settings.js';
import { Database } from '../database/database.js';
import { RedisConnection } from '../redis/redis.module.js';
import { Ledger } from '../stock/ledger.js';
import { type DeductStrategy, Strategy, type Deduction, type DeductOrder } from '../strategies/strategy.js';
import { sellFenced } from './fenced-sale.js';
import { untilGranted } from './granted.js';

/** `fencing-token`, but lock and token are two commands: a holder that is late with the second gets the larger token. */
@Strategy({
  name: 'token-after-acquire',
  family: 'specimen',
  lesson: 6,
  title: 'Fencing token issued after the lock was acquired',
  stock: 'mysql',
  needs: ['mysql', 'redis'],
  safe: 'never',
  breaksUnder: ['pause', 'pause-both'],
  teaches: 'A token shows the order of the grants only if the command that grants the lock creates it.',
})
export class TokenAfterAcquire implements DeductStrategy {
  constructor(
    private readonly redis: RedisConnection,
    private readonly database: Database,
    private readonly ledger: Ledger,
    @Inject(SETTINGS) private readonly settings: Settings,
  ) {}

  async deduct(order: DeductOrder): Promise<Deduction> {
    const { lockWaitMs, lockLeaseMs } = this.settings;
    const lock = `lockstock:lock:${order.strategy}:{goods:${order.goodsId}}`;
    const owner = randomUUID();
    await checkpoint('beforeLock');
    const cost = await untilGranted(order, lockWaitMs, async () => {
      const set = await this.redis.run((client) => client.set(lock, owner, 'PX', lockLeaseMs, 'NX'));
      return set === 'OK';
    });
    await checkpoint('afterLock');
    // A holder that was paused until here may have lost the lock, and still gets the newest token.
    const token = await this.redis.run((client) => client.incr(`${lock}:fence`));
    // The lease ends the lock: its release is not part of this lesson.
    return sellFenced(this.database, this.ledger, order, token, 'fence < ?', cost);
  }
}
