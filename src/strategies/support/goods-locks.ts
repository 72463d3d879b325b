import { Inject, Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { SETTINGS, type Settings } from '../../config/settings.js';
import { CoordinationLocks } from '../../coordination/coordination-locks.js';
import { EngineUnavailable } from '../../errors.js';
import {
  FairRedisLock,
  type Lock,
  ReadWriteRedisLock,
  type RedisClient,
  RedisLock,
  type RedisLockOptions,
  RedlockAdapter,
  ReentrantRedisLock,
} from '../../locks/index.js';
import { LockCounts } from '../../metrics/lock-counts.js';
import { RedisConnection } from '../../redis/redis.module.js';
import { RedlockNodes } from '../../redis/redlock-nodes.js';
import { type GoodsLock } from './with-lock.js';

const PREFIX = 'lockstock:lock:';

/** The service's locks. Each is created on first use, which throws when the server of the lock is not configured. */
@Injectable()
export class GoodsLocks implements OnApplicationShutdown {
  private readonly opened = new Map<string, object>();
  private readonly closeables: { close(): void }[] = [];

  constructor(
    private readonly redis: RedisConnection,
    private readonly nodes: RedlockNodes,
    private readonly coordination: CoordinationLocks,
    private readonly counts: LockCounts,
    @Inject(SETTINGS) private readonly settings: Settings,
  ) {}

  get plain(): GoodsLock {
    return this.inRedis('plain', (client, options) => new RedisLock(client, options));
  }

  get reentrant(): GoodsLock {
    return this.inRedis('reentrant', (client, options) => new ReentrantRedisLock(client, options));
  }

  get fair(): GoodsLock {
    return this.inRedis('fair', (client, options) => new FairRedisLock(client, options));
  }

  /** With LOCK_REPLICAS it sends WAIT after each grant: a failover then loses fewer tokens. */
  get fenced(): GoodsLock {
    const { lockReplicas: replicas } = this.settings;
    return this.inRedis(
      'fenced',
      (client, options) => new RedisLock(client, { ...options, ...(replicas && { replicas }) }),
    );
  }

  get readWrite(): { readonly read: GoodsLock; readonly write: GoodsLock } {
    const { client } = this;
    return this.once('read-write', () => {
      const lock = new ReadWriteRedisLock(client, this.options('read-write'));
      this.closeables.push(lock);
      return {
        read: this.goodsLock('redis', 'read', lock.read),
        write: this.goodsLock('redis', 'write', lock.write),
      };
    });
  }

  /** The npm package `redlock` over independent masters. */
  get redlock(): GoodsLock {
    if (!this.nodes.configured || !this.nodes.up) throw new EngineUnavailable('redis');
    return this.once('redlock', () => {
      const lock = new RedlockAdapter(this.nodes.clients, this.options('redlock'));
      this.closeables.push(lock);
      return this.goodsLock('redis', 'redlock', lock);
    });
  }

  get etcd(): GoodsLock {
    return this.once('etcd', () => this.goodsLock('etcd', 'etcd', this.coordination.etcd));
  }

  get zookeeper(): GoodsLock {
    return this.once('zookeeper', () =>
      this.goodsLock('zookeeper', 'zookeeper', this.coordination.zookeeper),
    );
  }

  onApplicationShutdown(): void {
    for (const lock of this.closeables) lock.close();
  }

  private inRedis(
    kind: string,
    make: (client: RedisClient, options: RedisLockOptions) => Lock & { close(): void },
  ): GoodsLock {
    const { client } = this;
    return this.once(kind, () => {
      const lock = make(client, this.options(kind));
      this.closeables.push(lock);
      return this.goodsLock('redis', kind, lock);
    });
  }

  private get client(): RedisClient {
    if (!this.redis.client) throw new EngineUnavailable('redis');
    return this.redis.client;
  }

  private options(kind: string): RedisLockOptions {
    return { prefix: `${PREFIX}${kind}:`, watchdogMs: this.settings.lockLeaseMs };
  }

  private goodsLock(engine: NonNullable<GoodsLock['engine']>, kind: string, lock: Lock): GoodsLock {
    return { lock: this.counts.of(kind, lock), engine, waitMs: this.settings.lockWaitMs };
  }

  /** A lock object has a queue, a timer and a subscription of its own, so it is made once and kept. */
  private once<T extends object>(kind: string, make: () => T): T {
    const made = (this.opened.get(kind) as T | undefined) ?? make();
    this.opened.set(kind, made);
    return made;
  }
}
