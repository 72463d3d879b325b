import {
  FairRedisLock,
  type Lock,
  LockTimeout,
  ReadWriteRedisLock,
  RedisLock,
  ReentrantRedisLock,
  type RedisClient,
} from '../src/locks/index.js';
import { eventually } from './support/eventually.js';
import { LockRedis } from './support/lock-redis.js';

/** P17: a waiter gets no message at all, not even the confirmation of its subscription. */
const redis = new LockRedis();
afterAll(() => {
  redis.close();
});

/** Longer than any wait here: no waiter gets the lock because a lease ended. */
const options = { prefix: redis.prefix, watchdogMs: 5000 };

interface Opened {
  readonly lock: Lock;
  readonly close: () => void;
}
function readWrite(client: RedisClient, role: 'read' | 'write'): Opened {
  const both = new ReadWriteRedisLock(client, options);
  return {
    lock: both[role],
    close: () => {
      both.close();
    },
  };
}
function exclusive(lock: RedisLock | ReentrantRedisLock | FairRedisLock): Opened {
  return {
    lock,
    close: () => {
      lock.close();
    },
  };
}
const KINDS: readonly (readonly [kind: string, open: (client: RedisClient) => Opened])[] = [
  ['plain', (client) => exclusive(new RedisLock(client, options))],
  ['reentrant', (client) => exclusive(new ReentrantRedisLock(client, options))],
  ['fair', (client) => exclusive(new FairRedisLock(client, options))],
  ['write', (client) => readWrite(client, 'write')],
];

test.each(KINDS)(
  '%s: a waiter that receives no message still acquires the lock soon after its release',
  async (kind, open) => {
    const [holder, deaf] = [open(redis.client()), open(redis.deafClient())];
    const held = await holder.lock.acquire(kind, { waitMs: 1000 });
    const waiting = deaf.lock.acquire(kind, { waitMs: 20_000 });
    await held.release();
    const released = performance.now();
    const lease = await waiting;
    expect(performance.now() - released).toBeLessThan(1500);
    expect(await lease.release()).toBe(true);
    holder.close();
    deaf.close();
  },
);

test.each(KINDS)(
  '%s: a waiter that receives no message still times out, and ends when it is aborted',
  async (kind, open) => {
    const [holder, deaf] = [open(redis.client()), open(redis.deafClient())];
    const held = await holder.lock.acquire(kind, { waitMs: 1000 });
    const started = performance.now();
    await expect(deaf.lock.acquire(kind, { waitMs: 200 })).rejects.toBeInstanceOf(LockTimeout);
    const caller = new AbortController();
    const aborted = deaf.lock.acquire(kind, { waitMs: 20_000, signal: caller.signal });
    caller.abort(new Error('gone home'));
    await expect(aborted).rejects.toThrow('gone home');
    expect(performance.now() - started).toBeLessThan(1500);
    await held.release();
    holder.close();
    deaf.close();
  },
);

test('no key is left', async () => {
  await eventually('no key is left', async () => (await redis.leftovers()).length === 0);
});
