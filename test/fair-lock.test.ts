import { setTimeout as sleep } from 'node:timers/promises';
import { FairRedisLock, type Lease, LockTimeout, type QueueOptions } from '../src/locks/index.js';
import { LockQueue } from '../src/locks/redis/lock-queue.js';
import { eventually } from './support/eventually.js';
import { LockRedis } from './support/lock-redis.js';

const redis = LockRedis.ofEachTest();
const newLock = (options: QueueOptions = {}) => redis.lock(FairRedisLock, options);

const PATIENT = { waitMs: 30_000 };

test('three lock objects: one holder at a time, rising tokens, and no key is left', async () => {
  const locks = [newLock(), newLock(), newLock()];
  const tokens: (bigint | undefined)[] = [];
  let inside = 0;
  let most = 0;
  await Promise.all(
    Array.from({ length: 60 }, (_, i) =>
      (locks[i % 3] as FairRedisLock).using('contended', PATIENT, async ({ token }) => {
        most = Math.max(most, (inside += 1));
        tokens.push(token);
        await sleep(1);
        inside -= 1;
      }),
    ),
  );
  expect(most).toBe(1);
  expect(tokens).toEqual(Array.from({ length: 60 }, (_, i) => BigInt(i + 1)));
  await eventually('no key is left', async () => (await redis.leftovers()).length === 0);
});

test('three processes lose no increment', async () => {
  expect(await redis.countedByThree('fair')).toBe(150);
});

test('waiters of several processes are served in the order of their arrival', async () => {
  const locks = [newLock(), newLock(), newLock()];
  const held = await newLock().acquire('order', PATIENT);
  const served: number[] = [];
  const waiters: Promise<void>[] = [];
  for (let i = 0; i < 15; i += 1) {
    const work = () => Promise.resolve(void served.push(i));
    waiters.push((locks[(i * 7) % 3] as FairRedisLock).using('order', PATIENT, work));
    await redis.untilWaiting('order', i + 1);
  }
  await held.release();
  await Promise.all(waiters);
  expect(served).toEqual(Array.from({ length: 15 }, (_, i) => i));
});

test('a release wakes the next waiter in the queue and no other', async () => {
  const lock = newLock({ heartbeatMs: 20_000 });
  const held = await newLock().acquire('calls', PATIENT);
  const calls: string[] = [];
  const ear = redis.labClient();
  await ear.psubscribe(`${redis.prefix}turn:*`);
  ear.on('pmessage', (_pattern: string, _channel: string, member: string) => calls.push(member));
  const served: number[] = [];
  const waiters: Promise<unknown>[] = [];
  for (let i = 0; i < 10; i += 1) {
    waiters.push(lock.using('calls', PATIENT, ({ attempts }) => Promise.resolve(served.push(attempts))));
    await redis.untilWaiting('calls', i + 1);
  }
  await held.release();
  await Promise.all(waiters);
  await eventually('every waiter was called', () => calls.length >= 10);
  expect(calls).toHaveLength(10);
  expect(new Set(calls).size).toBe(10);
  // It asked when it arrived, when its subscriber was connected, when it was subscribed, and when it was woken.
  expect(Math.max(...served)).toBeLessThanOrEqual(4);
});

test('P19: a killed waiter at the head of the queue delays the waiters behind it by its heartbeat only', async () => {
  const heartbeatMs = 1000;
  const held = await newLock().acquire('killed', PATIENT);
  const head = redis.spawn('hold', 'fair', 'killed', { heartbeatMs });
  await redis.untilWaiting('killed', 1);
  const others = [newLock({ heartbeatMs }), newLock({ heartbeatMs })].map((lock) =>
    lock.acquire('killed', PATIENT),
  );
  await redis.untilWaiting('killed', 3);
  head.kill('SIGKILL');
  await held.release();
  const released = performance.now();
  const next = await Promise.race(others);
  const delay = performance.now() - released;
  // At most the timeout for missing heartbeats; half a second is a reserve for a busy machine.
  expect(delay).toBeLessThan(heartbeatMs + 500);
  await next.release();
  for (const lease of await Promise.all(others)) await lease.release();
});

test('a waiter that times out or is aborted leaves the queue at once, and the waiters behind it move up', async () => {
  const held = await newLock().acquire('left', PATIENT);
  const late = newLock().acquire('left', { waitMs: 400 });
  await redis.untilWaiting('left', 1);
  const caller = new AbortController();
  const aborted = newLock().acquire('left', { ...PATIENT, signal: caller.signal });
  await redis.untilWaiting('left', 2);
  const follower = newLock({ heartbeatMs: 20_000 }).acquire('left', PATIENT);
  await redis.untilWaiting('left', 3);
  caller.abort(new Error('gone home'));
  await expect(aborted).rejects.toThrow('gone home');
  await expect(late).rejects.toBeInstanceOf(LockTimeout);
  expect(await redis.waiting('left')).toBe(1);
  await held.release();
  await (await follower).release();
  expect(await redis.waiting('left')).toBe(0);
});

test('an attempt without a wait time does not queue, and an aborted attempt sends nothing', async () => {
  const held = await newLock().acquire('try', PATIENT);
  await expect(newLock().acquire('try', { waitMs: 0 })).rejects.toBeInstanceOf(LockTimeout);
  expect(await redis.waiting('try')).toBe(0);
  await held.release();
  const gone = AbortSignal.abort(new Error('gone home'));
  await expect(newLock().acquire('try', { ...PATIENT, signal: gone })).rejects.toThrow('gone home');
  const again = await newLock().acquire('try', { waitMs: 0 });
  expect(await again.release()).toBe(true);
});

test('the signal of an expiring lease is aborted before the next holder acquires the lock, and its release returns false', async () => {
  const dead = await newLock().acquire('expiry', { ...PATIENT, leaseMs: 200 });
  let lostAt: number | undefined;
  dead.signal.addEventListener('abort', () => {
    lostAt = performance.now();
  });
  const next = await newLock().acquire('expiry', PATIENT);
  expect(lostAt).toBeLessThanOrEqual(performance.now());
  expect(next.token).toBe(2n);
  expect(await dead.release()).toBe(false);
  // The late release has not freed the lock of the next holder.
  await expect(newLock().acquire('expiry', { waitMs: 0 })).rejects.toBeInstanceOf(LockTimeout);
  expect(await next.release()).toBe(true);
});

test('the watchdog keeps the lock longer than one lease, and stops when the lock is released', async () => {
  const holder = redis.client();
  const lock = redis.lock(FairRedisLock, { watchdogMs: 300 }, holder);
  const lease = await lock.acquire('watchdog', PATIENT);
  await expect(newLock().acquire('watchdog', { waitMs: 900 })).rejects.toBeInstanceOf(LockTimeout);
  expect(lease.signal.aborted).toBe(false);
  holder.disconnect();
  const next = await newLock().acquire('watchdog', PATIENT);
  expect(lease.signal.aborted).toBe(true);
  await next.release();
});

test('scripts may be sent twice, and a caller that does not hold the lock cannot release it', async () => {
  const queue = new LockQueue(redis.client(), { prefix: redis.prefix });
  const [owner, stranger] = [queue.newMember('writer'), queue.newMember('writer')];
  const granted = { granted: true, token: 1n };
  expect(await queue.enter('resend', owner, 5000, true)).toEqual(granted);
  expect(await queue.enter('resend', owner, 5000, true)).toEqual(granted);
  expect(await queue.leave('resend', stranger)).toBe(false);
  expect(await queue.renew('resend', stranger, 5000)).toBe(false);
  expect(await queue.renew('resend', owner, 5000)).toBe(true);
  expect(await queue.leave('resend', owner)).toBe(true);
  expect(await queue.leave('resend', owner)).toBe(true);
  expect(await queue.renew('resend', owner, 5000)).toBe(false);
});

test('a waiter without heartbeats is removed from the queue and rejoins at its end', async () => {
  const queue = new LockQueue(redis.client(), { prefix: redis.prefix, heartbeatMs: 150 });
  const [holder, silent] = [queue.newMember('writer'), queue.newMember('writer')];
  await queue.enter('silent', holder, 20_000, true);
  await queue.enter('silent', silent, 20_000, true);
  await redis.untilWaiting('silent', 0);
  const lock = newLock();
  const next = lock.acquire('silent', PATIENT);
  await redis.untilWaiting('silent', 1);
  expect(await queue.enter('silent', silent, 20_000, true)).toMatchObject({ granted: false });
  await queue.leave('silent', holder);
  const lease: Lease = await next;
  expect(await lease.release()).toBe(true);
});
