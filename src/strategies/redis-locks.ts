import { Inject, Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { SETTINGS, type Settings } from '../config/settings.js';
import { ClientGone, EngineUnavailable } from '../errors.js';
import { type Lease, type Lock, RedisLock, ReentrantRedisLock } from '../locks/index.js';
import { RedisConnection } from '../redis/redis.module.js';
import { type DeductOrder } from './strategy.js';

const PREFIX = 'lockstock:lock:';

/** The service's locks in Redis, and the one way in which strategies hold them. */
@Injectable()
export class RedisLocks implements OnApplicationShutdown {
  private readonly opened = new Map<string, Lock & { close?(): void }>();

  constructor(
    private readonly redis: RedisConnection,
    @Inject(SETTINGS) private readonly settings: Settings,
  ) {}

  get plain(): Lock {
    return this.open('plain', (client, options) => new RedisLock(client, options));
  }

  get reentrant(): Lock {
    return this.open('reentrant', (client, options) => new ReentrantRedisLock(client, options));
  }

  /** With WAIT, where LOCK_REPLICAS asks for it: fewer of its tokens are lost in a failover. */
  get fenced(): Lock {
    const { lockReplicas: replicas } = this.settings;
    return this.open(
      'fenced',
      (client, options) => new RedisLock(client, { ...options, ...(replicas && { replicas }) }),
    );
  }

  /** A key per goods: buyers of other goods never wait. */
  key(goodsId: number): string {
    return `goods:${goodsId}`;
  }

  /** Holds the lock of the order's goods around `work`. */
  async guard<T>(
    lock: Lock,
    order: DeductOrder,
    work: (lease: Lease) => Promise<T>,
    leaseMs?: number,
  ): Promise<T> {
    const options = { waitMs: this.settings.lockWaitMs, signal: order.signal, leaseMs };
    const progress = { begun: false };
    try {
      return await lock.using(this.key(order.goodsId), options, (lease) => {
        progress.begun = true;
        return work(lease);
      });
    } catch (error) {
      // Before the work has begun, only the lock can have failed.
      throw progress.begun ? error : asLockFailure(error, order.signal);
    }
  }

  onApplicationShutdown(): void {
    for (const lock of this.opened.values()) lock.close?.();
  }

  private open(
    kind: string,
    make: (client: NonNullable<RedisConnection['client']>, options: object) => Lock,
  ): Lock {
    const { client } = this.redis;
    if (!client) throw new EngineUnavailable('redis');
    const lock =
      this.opened.get(kind) ??
      make(client, { prefix: `${PREFIX}${kind}:`, watchdogMs: this.settings.lockLeaseMs });
    this.opened.set(kind, lock);
    return lock;
  }
}

/** The lock library says what it means with a `type`; anything else came from Redis not answering. */
function asLockFailure(error: unknown, signal: AbortSignal): unknown {
  if (signal.aborted) return new ClientGone();
  return error instanceof Error && 'type' in error ? error : new EngineUnavailable('redis');
}
