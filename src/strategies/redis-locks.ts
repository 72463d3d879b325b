import { Inject, Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { SETTINGS, type Settings } from '../config/settings.js';
import { ClientGone, EngineUnavailable } from '../errors.js';
import {
  FairRedisLock,
  type Lease,
  type Lock,
  LockTimeout,
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
  guard<T>(lock: Lock, order: DeductOrder, work: (lease: Lease) => Promise<T>): Promise<T> {
    return this.hold(lock, this.key(order.goodsId), this.settings.lockWaitMs, order, work);
  }

  /**
   * Holds the lock of one part of the goods: the first that is free. When all are taken, each in turn is waited for, so
   * that a holder who has died or sleeps delays nobody for long.
   */
  async guardAny<T>(
    lock: Lock,
    order: DeductOrder,
    parts: readonly number[],
    work: (lease: Lease, part: number) => Promise<T>,
  ): Promise<T> {
    const { lockWaitMs } = this.settings;
    const progress = { begun: false };
    for (const waitMs of [0, lockWaitMs / parts.length]) {
      for (const part of parts) {
        try {
          return await this.hold(lock, `${this.key(order.goodsId)}:${part}`, waitMs, order, (lease) => {
            progress.begun = true;
            return work(lease, part);
          });
        } catch (error) {
          if (progress.begun || !(error instanceof LockTimeout)) throw error;
        }
      }
    }
    throw new LockTimeout(lockWaitMs);
  }

  private async hold<T>(
    lock: Lock,
    key: string,
    waitMs: number,
    { signal }: DeductOrder,
    work: (lease: Lease) => Promise<T>,
  ): Promise<T> {
    const progress = { begun: false };
    try {
      return await holding(lock, key, { waitMs, signal }, (lease) => {
        progress.begun = true;
        return work(lease);
      });
    } catch (error) {
      // Before the work has begun, only the lock can have failed.
      throw progress.begun ? error : asLockFailure(error, signal);
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
