import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Redis } from 'ioredis';
import { FairRedisLock, type Lock, ReadWriteRedisLock, RedisLock, ReentrantRedisLock } from '../index.js';

/** Releases what `acquire` has acquired. */
export type Release = () => Promise<unknown>;

/** One way to acquire a lock; it waits until the lock is free. */
export interface Contender {
  readonly name: string;
  readonly acquire: (key: string) => Promise<Release>;
}

export const LEASE_MS = 10_000;
/** Between two tries of the contenders that poll: short, because each wait adds half of it to every hand-over. */
export const POLL_MS = 2;
const WAIT_MS = 60_000;

/** The textbook lock: SET NX PX, compare and delete. It polls, and does not renew, count or report a loss. */
export function bare(client: Redis): Contender {
  client.defineCommand('bareRelease', {
    numberOfKeys: 1,
    lua: "if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('DEL', KEYS[1]) end return 0",
  });
  const release = client as unknown as { bareRelease(key: string, owner: string): Promise<number> };
  return {
    name: 'bare SET NX',
    acquire: async (key) => {
      const owner = randomUUID();
      while ((await client.set(`bare:${key}`, owner, 'PX', LEASE_MS, 'NX')) !== 'OK') await sleep(POLL_MS);
      return async () => {
        if ((await release.bareRelease(`bare:${key}`, owner)) !== 1) throw new Error('The lock was lost.');
      };
    },
  };
}

function ours(name: string, lock: Lock, leaseMs?: number): Contender {
  const options = { waitMs: WAIT_MS, leaseMs };
  return {
    name,
    acquire: async (key) => {
      const lease = await lock.acquire(key, options);
      return async () => {
        if (!(await lease.release())) throw new Error('The lock was lost.');
      };
    },
  };
}

export function library(client: Redis): readonly Contender[] {
  const plain = new RedisLock(client, { prefix: 'plain:' });
  const reentrant = new ReentrantRedisLock(client, { prefix: 'reentrant:' });
  const fair = new FairRedisLock(client, { prefix: 'fair:' });
  const readWrite = new ReadWriteRedisLock(client, { prefix: 'read-write:' });
  return [
    ours('RedisLock', plain, LEASE_MS),
    ours('RedisLock, watchdog', plain),
    ours('ReentrantRedisLock', reentrant),
    ours('FairRedisLock', fair),
    ours('ReadWriteRedisLock, read', readWrite.read),
    ours('ReadWriteRedisLock, write', readWrite.write),
  ];
}
