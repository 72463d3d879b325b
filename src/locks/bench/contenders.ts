import { randomUUID } from 'node:crypto';
import { type Redis } from 'ioredis';
import Redlock from 'redlock';
import { FairRedisLock, type Lock, ReadWriteRedisLock, RedisLock, ReentrantRedisLock } from '../index.js';

/** One way to acquire and release a lock. */
export interface Contender {
  readonly name: string;
  readonly cycle: (key: string) => Promise<unknown>;
  readonly close: () => void;
}

const LEASE_MS = 10_000;
const AT_ONCE = { waitMs: 1000 };
const WITH_LEASE = { waitMs: 1000, leaseMs: LEASE_MS };

/** The textbook lock: SET NX PX, compare and delete. It does not wait, renew, count or report a loss. */
export function bare(client: Redis): Contender {
  client.defineCommand('bareRelease', {
    numberOfKeys: 1,
    lua: "if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('DEL', KEYS[1]) end return 0",
  });
  const release = client as unknown as { bareRelease(key: string, owner: string): Promise<number> };
  return {
    name: 'bare SET NX PX + compare-and-delete',
    cycle: async (key) => {
      const owner = randomUUID();
      if ((await client.set(`bare:${key}`, owner, 'PX', LEASE_MS, 'NX')) !== 'OK') throw new Error('taken');
      if ((await release.bareRelease(`bare:${key}`, owner)) !== 1) throw new Error('lost');
    },
    close: () => undefined,
  };
}

function ours(name: string, lock: Lock, options: typeof AT_ONCE, close: () => void): Contender {
  return {
    name,
    close,
    cycle: async (key) => {
      const lease = await lock.acquire(key, options);
      if (!(await lease.release())) throw new Error('lost');
    },
  };
}

export function library(client: Redis): readonly Contender[] {
  const plain = new RedisLock(client, { prefix: 'plain:' });
  const reentrant = new ReentrantRedisLock(client, { prefix: 'reentrant:' });
  const fair = new FairRedisLock(client, { prefix: 'fair:' });
  const readWrite = new ReadWriteRedisLock(client, { prefix: 'read-write:' });
  const close = () => {
    for (const lock of [plain, reentrant, fair, readWrite]) lock.close();
  };
  return [
    ours('RedisLock, with a lease', plain, WITH_LEASE, close),
    ours('RedisLock, watchdog', plain, AT_ONCE, close),
    ours('ReentrantRedisLock', reentrant, AT_ONCE, close),
    ours('FairRedisLock', fair, AT_ONCE, close),
    ours('ReadWriteRedisLock, read', readWrite.read, AT_ONCE, close),
    ours('ReadWriteRedisLock, write', readWrite.write, AT_ONCE, close),
  ];
}

/** With one node, like the other contenders. */
export function redlockPackage(client: Redis): Contender {
  const Package = Redlock as unknown as new (
    nodes: readonly Redis[],
    options: Redlock.Options,
  ) => { lock(key: string, ttl: number): PromiseLike<{ unlock(): PromiseLike<unknown> }> };
  const redlock = new Package([client], { retryCount: 0 });
  return {
    name: 'redlock 4.2',
    cycle: async (key) => {
      const lock = await redlock.lock(`redlock:${key}`, LEASE_MS);
      await lock.unlock();
    },
    close: () => undefined,
  };
}
