import { Inject, Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { SETTINGS, type Settings } from '../config/settings.js';
import { EngineUnavailable } from '../errors.js';
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
import { LockCounts } from '../metrics/lock-counts.js';
import { RedisConnection } from '../redis/redis.module.js';
import { RedlockNodes } from '../redis/redlock-nodes.js';
import { holdLock } from './hold-lock.js';
import { type DeductOrder } from './strategy.js';

const PREFIX = 'lockstock:lock:';

/** The service's locks in Redis, and the one way in which strategies hold them. */
@Injectable()
export class RedisLocks implements OnApplicationShutdown {
  private readonly opened = new Map<string, object>();
  private readonly closeables: { close(): void }[] = [];

  constructor(
    private readonly redis: RedisConnection,
    private readonly nodes: RedlockNodes,
    private readonly counts: LockCounts,
    @Inject(SETTINGS) private readonly settings: Settings,
  ) {}

  get plain(): Lock {
    return this.open('plain', (client, options) => this.counted('plain', new RedisLock(client, options)));
  }

  get reentrant(): Lock {
    return this.open('reentrant', (client, options) =>
      this.counted('reentrant', new ReentrantRedisLock(client, options)),
    );
  }

  get fair(): Lock {
    return this.open('fair', (client, options) => this.counted('fair', new FairRedisLock(client, options)));
  }

  get readWrite(): { readonly read: Lock; readonly write: Lock } {
    return this.open('read-write', (client, options) => {
      const lock = new ReadWriteRedisLock(client, options);
      this.closeables.push(lock);
      return { read: this.counts.of('read', lock.read), write: this.counts.of('write', lock.write) };
    });
  }

  /** The npm package `redlock` over independent masters. */
  get redlock(): Lock {
    if (!this.nodes.configured || !this.nodes.up) throw new EngineUnavailable('redis');
    return this.keep('redlock', (options) =>
      this.counted('redlock', new RedlockAdapter(this.nodes.clients, options)),
    );
  }

  /** With WAIT, where LOCK_REPLICAS asks for it: fewer of its tokens are lost in a failover. */
  get fenced(): Lock {
    const { lockReplicas: replicas } = this.settings;
    return this.open('fenced', (client, options) =>
      this.counted('fenced', new RedisLock(client, { ...options, ...(replicas && { replicas }) })),
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

  private hold<T>(
    lock: Lock,
    key: string,
    waitMs: number,
    order: DeductOrder,
    work: (lease: Lease) => Promise<T>,
  ): Promise<T> {
    return holdLock('redis', lock, key, waitMs, order, work);
  }

  onApplicationShutdown(): void {
    for (const lock of this.closeables) lock.close();
  }

  private counted(kind: string, lock: Lock & { close(): void }): Lock {
    this.closeables.push(lock);
    return this.counts.of(kind, lock);
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
