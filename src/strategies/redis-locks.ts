import { Inject, Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { SETTINGS, type Settings } from '../config/settings.js';
import { ClientGone, EngineUnavailable } from '../errors.js';
import {
  FairRedisLock,
  type Lease,
  type Lock,
  ReadWriteRedisLock,
  type RedisClient,
  RedisLock,
  type RedisLockOptions,
  RedlockAdapter,
  ReentrantRedisLock,
} from '../locks/index.js';
import { RedisConnection } from '../redis/redis.module.js';
import { RedlockNodes } from '../redis/redlock-nodes.js';
import { holding } from './holding.js';
import { type DeductOrder } from './strategy.js';

const PREFIX = 'lockstock:lock:';

/** The service's locks in Redis, and the one way in which strategies hold them. */
@Injectable()
export class RedisLocks implements OnApplicationShutdown {
  private readonly opened = new Map<string, object>();

  constructor(
    private readonly redis: RedisConnection,
    private readonly nodes: RedlockNodes,
    @Inject(SETTINGS) private readonly settings: Settings,
  ) {}

  get plain(): Lock {
    return this.open('plain', (client, options) => new RedisLock(client, options));
  }

  get reentrant(): Lock {
    return this.open('reentrant', (client, options) => new ReentrantRedisLock(client, options));
  }

  get fair(): Lock {
    return this.open('fair', (client, options) => new FairRedisLock(client, options));
  }

  get readWrite(): ReadWriteRedisLock {
    return this.open('read-write', (client, options) => new ReadWriteRedisLock(client, options));
  }

  /** The npm package `redlock` over independent masters. */
  get redlock(): Lock {
    if (!this.nodes.configured) throw new EngineUnavailable('redis');
    return this.keep('redlock', (options) => new RedlockAdapter(this.nodes.clients, options));
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
      return await holding(lock, this.key(order.goodsId), options, (lease) => {
        progress.begun = true;
        return work(lease);
      });
    } catch (error) {
      // Before the work has begun, only the lock can have failed.
      throw progress.begun ? error : asLockFailure(error, order.signal);
    }
  }

  onApplicationShutdown(): void {
    for (const lock of this.opened.values()) if (isCloseable(lock)) lock.close();
  }

  private open<L extends object>(
    kind: string,
    make: (client: RedisClient, options: RedisLockOptions) => L,
  ): L {
    const { client } = this.redis;
    if (!client) throw new EngineUnavailable('redis');
    return this.keep(kind, (options) => make(client, options));
  }

  /** Made when it is first wanted, then kept: a lock object has a queue, a timer and a subscription of its own. */
  private keep<L extends object>(kind: string, make: (options: RedisLockOptions) => L): L {
    const options = { prefix: `${PREFIX}${kind}:`, watchdogMs: this.settings.lockLeaseMs };
    const lock = (this.opened.get(kind) as L | undefined) ?? make(options);
    this.opened.set(kind, lock);
    return lock;
  }
}

function isCloseable(lock: object): lock is { close(): void } {
  return 'close' in lock && typeof lock.close === 'function';
}

/** The lock library says what it means with a `type`; anything else came from Redis not answering. */
function asLockFailure(error: unknown, signal: AbortSignal): unknown {
  if (signal.aborted) return new ClientGone();
  return error instanceof Error && 'type' in error ? error : new EngineUnavailable('redis');
}
