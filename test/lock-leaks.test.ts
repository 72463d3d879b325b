import { getEventListeners } from 'node:events';
import {
  FairRedisLock,
  type Lock,
  LockTimeout,
  MultiLock,
  ReadWriteRedisLock,
  RedisLock,
} from '../src/locks/index.js';
import { eventually } from './support/eventually.js';
import { LockRedis } from './support/lock-redis.js';
import { Timers } from './support/timers.js';

const redis = new LockRedis();
// A long lease: a timer that is left behind is still there at the end of the test.
const options = { prefix: redis.prefix, watchdogMs: 60_000 };
const fair = new FairRedisLock(redis.client(), options);
const readWrite = new ReadWriteRedisLock(redis.client(), options);
afterAll(() => {
  fair.close();
  readWrite.close();
  redis.close();
});

const CYCLES = 500;
const AT_ONCE = 10;

/** Cycles with and without contention: released, timed out and aborted. */
async function use(lock: Lock, key: string, signal: AbortSignal): Promise<void> {
  for (let i = 0; i < CYCLES / AT_ONCE; i += 1) {
    const crowd = Array.from({ length: AT_ONCE }, (_, n) => {
      const impatient = n === AT_ONCE - 1;
      return lock
        .using(key, { waitMs: impatient ? 1 : 30_000, signal }, () => Promise.resolve())
        .catch(() => 0);
    });
    const caller = new AbortController();
    const aborted = lock.acquire(key, { waitMs: 30_000, signal: caller.signal });
    caller.abort(new Error('gone home'));
    await Promise.all([...crowd, aborted.then((lease) => lease.release()).catch(() => 0)]);
  }
}

const multi = new MultiLock(fair);
const KINDS: readonly (readonly [kind: string, cycles: (signal: AbortSignal) => Promise<void>])[] = [
  ['fair', (signal) => use(fair, 'fair', signal)],
  ['read', (signal) => use(readWrite.read, 'shared', signal)],
  ['write', (signal) => use(readWrite.write, 'exclusive', signal)],
  [
    'multi',
    async (signal) => {
      for (let i = 0; i < CYCLES; i += 1)
        await multi.usingAll(['a', 'b'], { waitMs: 30_000, signal }, ({ signal: lost }) =>
          Promise.resolve(lost.aborted),
        );
    },
  ],
];

test.each(KINDS)(
  '%s: 500 cycles leave no key, no timer, no listener and no subscription',
  async (_, cycles) => {
    const timers = new Timers();
    const caller = new AbortController();
    await cycles(caller.signal);
    expect(getEventListeners(caller.signal, 'abort')).toHaveLength(0);
    await eventually('no subscription is left', async () => (await redis.channels()).length === 0);
    await eventually('no key is left', async () => (await redis.leftovers()).length === 0);
    // The watchdog's timer ends at its next tick, and `eventually` has timers of its own. A leak has hundreds.
    expect(timers.count).toBeLessThan(10);
    timers.stop();
  },
);

test.each([
  ['fair', FairRedisLock],
  ['plain', RedisLock],
] as const)(
  '%s: a lock that is closed while a client waits for it opens no further connection',
  async (name, Kind) => {
    const client = redis.client();
    const holder = new Kind(redis.client(), options);
    const held = await holder.acquire(name, { waitMs: 1000 });
    const lock = new Kind(client, options);
    const duplicated = jest.spyOn(client, 'duplicate');
    lock.close();
    await expect(lock.acquire(name, { waitMs: 100 })).rejects.toBeInstanceOf(LockTimeout);
    expect(duplicated).not.toHaveBeenCalled();
    await held.release();
    holder.close();
  },
);
