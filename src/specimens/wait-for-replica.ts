import { Inject, type OnApplicationShutdown } from '@nestjs/common';
import { SETTINGS, type Settings } from '../config/settings.js';
import { EngineUnavailable } from '../errors.js';
import { RedisLock } from '../locks/index.js';
import { RedisConnection } from '../redis/redis.module.js';
import { Stock } from '../stock/stock.js';
import { type DeductStrategy, Strategy, type Deduction, type DeductOrder } from '../strategies/strategy.js';
import { withLock } from '../strategies/support/with-lock.js';

/** A lock that is granted when one replica has it (LOCK_REPLICAS=1); a failover may promote another replica. */
@Strategy({
  name: 'wait-for-replica',
  family: 'specimen',
  lesson: 12,
  title: 'SET NX, then WAIT for one replica',
  stock: 'mysql',
  needs: ['mysql', 'redis'],
  safe: 'while-the-lease-holds',
  breaksUnder: ['pause', 'pause-both', 'failover', 'empty-restart', 'clock-jump', 'eviction', 'lost-reply'],
  teaches: 'WAIT says how many replicas have the lock, not that one of them will be the next master.',
})
export class WaitForReplica implements DeductStrategy, OnApplicationShutdown {
  private lock: RedisLock | undefined;

  constructor(
    private readonly redis: RedisConnection,
    private readonly stock: Stock,
    @Inject(SETTINGS) private readonly settings: Settings,
  ) {}

  deduct(order: DeductOrder): Promise<Deduction> {
    this.lock ??= this.open();
    const goodsLock = { lock: this.lock, engine: 'redis', waitMs: this.settings.lockWaitMs } as const;
    return withLock(goodsLock, order, ({ attempts, waitedMs }) =>
      this.stock.sellUnprotected(order, { attempts, waitedMs }),
    );
  }

  onApplicationShutdown(): void {
    this.lock?.close();
  }

  private open(): RedisLock {
    const { client } = this.redis;
    if (!client) throw new EngineUnavailable('redis');
    const { lockLeaseMs: watchdogMs } = this.settings;
    return new RedisLock(client, { prefix: 'lockstock:lock:wait-for-replica:', watchdogMs, replicas: 1 });
  }
}
