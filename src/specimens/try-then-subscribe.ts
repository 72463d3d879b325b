import { once } from 'node:events';
import { Inject } from '@nestjs/common';
import { checkpoint } from '../checkpoints/checkpoint.js';
import { SETTINGS, type Settings } from '../config/settings.js';
import { LockTimeout, type RedisClient, subscriberOf } from '../locks/index.js';
import { RedisConnection } from '../redis/redis.module.js';
import { type SaleCost } from '../stock/ledger.js';
import { Stock } from '../stock/stock.js';
import { type DeductStrategy, Strategy, type Deduction, type DeductOrder } from '../strategies/strategy.js';
import { releaseAfter } from '../strategies/support/release-after.js';

/** Waits by pub/sub as `reentrant` does, but relies on the message: after SUBSCRIBE it does not try the lock again. */
@Strategy({
  name: 'try-then-subscribe',
  family: 'specimen',
  lesson: 10,
  title: 'Try, subscribe, wait for the message',
  stock: 'mysql',
  needs: ['mysql', 'redis'],
  safe: 'while-the-lease-holds',
  breaksUnder: ['pause', 'pause-both', 'failover', 'empty-restart', 'clock-jump', 'eviction', 'lost-reply'],
  teaches: 'A message only shortens the wait: it may have been sent before the waiter subscribed.',
})
export class TryThenSubscribe implements DeductStrategy {
  constructor(
    private readonly redis: RedisConnection,
    private readonly stock: Stock,
    @Inject(SETTINGS) private readonly settings: Settings,
  ) {}

  async deduct(order: DeductOrder): Promise<Deduction> {
    const lock = `lockstock:lock:${order.strategy}:{goods:${order.goodsId}}`;
    const cost = await this.take(lock);
    return releaseAfter(
      async () => {
        await checkpoint('afterLock');
        return this.stock.sellUnprotected(order, cost);
      },
      async () => {
        await checkpoint('beforeUnlock');
        await this.redis.run((client) => client.multi().del(lock).publish(`${lock}:free`, '').exec());
      },
    );
  }

  private async take(lock: string): Promise<SaleCost> {
    const { lockWaitMs, lockLeaseMs } = this.settings;
    const started = performance.now();
    for (let attempts = 1; ; attempts += 1) {
      const set = await this.redis.run((client) => client.set(lock, 'taken', 'PX', lockLeaseMs, 'NX'));
      const waitedMs = performance.now() - started;
      if (set === 'OK') return { attempts, waitedMs };
      const leftMs = lockWaitMs - waitedMs;
      const lease = await this.redis.run((client) => client.pttl(lock));
      const woken = await this.redis.run((client) => heard(client, `${lock}:free`, Math.min(lease, leftMs)));
      if (!woken && leftMs < lease) throw new LockTimeout(performance.now() - started);
    }
  }
}

/** True at the next message, false after `ms`. A message that was sent before the subscription is lost. */
async function heard(client: RedisClient, channel: string, ms: number): Promise<boolean> {
  const subscriber = subscriberOf(client);
  subscriber.on('error', () => undefined);
  try {
    const time = AbortSignal.timeout(Math.max(0, Math.round(ms)));
    const message = once(subscriber, 'message', { signal: time }).then(
      () => true,
      () => false,
    );
    await subscriber.subscribe(channel);
    // Here it should try the lock once more: it may have been released before the subscription.
    return await message;
  } finally {
    subscriber.disconnect();
  }
}
