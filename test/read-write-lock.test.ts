import {
  type AcquireOptions,
  type Lease,
  LockLost,
  LockTimeout,
  type QueueOptions,
  ReadWriteRedisLock,
} from '../src/locks/index.js';
import { eventually } from './support/eventually.js';
import { LockRedis } from './support/lock-redis.js';

const redis = LockRedis.ofEachTest();
const newLock = (options: QueueOptions = {}) => redis.lock(ReadWriteRedisLock, options);

const PATIENT: AcquireOptions = { waitMs: 30_000 };
const AT_ONCE: AcquireOptions = { waitMs: 0 };

test('readers share the lock, and a writer excludes readers and other writers', async () => {
  const locks = [newLock(), newLock(), newLock()];
  const inside = { readers: 0, writers: 0 };
  const seen = { mostReaders: 0, mostWriters: 0, together: 0 };
  const look = () => {
    seen.mostReaders = Math.max(seen.mostReaders, inside.readers);
    seen.mostWriters = Math.max(seen.mostWriters, inside.writers);
    if (inside.readers > 0 && inside.writers > 0) seen.together += 1;
  };
  const work = (role: 'readers' | 'writers') => async () => {
    inside[role] += 1;
    look();
    await new Promise(setImmediate);
    look();
    inside[role] -= 1;
  };
  await Promise.all(
    Array.from({ length: 120 }, (_, i) => {
      const lock = locks[i % 3] as ReadWriteRedisLock;
      return i % 6 === 0
        ? lock.write.using('contended', PATIENT, work('writers'))
        : lock.read.using('contended', PATIENT, work('readers'));
    }),
  );
  expect(seen).toMatchObject({ mostWriters: 1, together: 0 });
  expect(seen.mostReaders).toBeGreaterThan(1);
  await eventually('no key is left', async () => (await redis.leftovers()).length === 0);
});

test('three writing processes lose no increment', async () => {
  expect(await redis.countedByThree('write')).toBe(150);
});

test('readers of all processes are counted, and only a writer has a token', async () => {
  const [one, other] = [newLock(), newLock()];
  expect(await one.readers('counted')).toBe(0);
  const leases = [await one.read.acquire('counted', PATIENT), await other.read.acquire('counted', PATIENT)];
  expect(leases.map(({ token }) => token)).toEqual([undefined, undefined]);
  expect(await other.readers('counted')).toBe(2);
  for (const lease of leases) expect(await lease.release()).toBe(true);
  const write = await one.write.acquire('counted', PATIENT);
  expect(write.token).toBe(1n);
  expect(await other.readers('counted')).toBe(0);
  await expect(other.read.acquire('counted', AT_ONCE)).rejects.toBeInstanceOf(LockTimeout);
  await write.release();
});

test('a waiting writer stops new readers, which then acquire the lock before the next writer', async () => {
  const [readers, writers] = [newLock(), newLock()];
  const order: string[] = [];
  const enter = (name: string, waiting: Promise<Lease>) =>
    waiting.then((lease) => {
      order.push(name);
      return lease;
    });
  const first = await readers.read.acquire('turns', PATIENT);
  const writer = enter('writer', writers.write.acquire('turns', PATIENT));
  await redis.untilWaiting('turns', 1);
  await expect(newLock().read.acquire('turns', AT_ONCE)).rejects.toBeInstanceOf(LockTimeout);
  const late = [1, 2].map((i) => enter(`reader ${i}`, readers.read.acquire('turns', PATIENT)));
  await redis.untilWaiting('turns', 3);
  const nextWriter = enter('next writer', writers.write.acquire('turns', PATIENT));
  await redis.untilWaiting('turns', 4);

  await first.release();
  await (await writer).release();
  const together = await Promise.all(late);
  expect(await readers.readers('turns')).toBe(2);
  for (const lease of together) await lease.release();
  await (await nextWriter).release();
  expect([order[0], order.slice(1, 3).sort(), order[3]]).toEqual([
    'writer',
    ['reader 1', 'reader 2'],
    'next writer',
  ]);
});

test('when a writer times out, the readers behind it acquire the lock at once', async () => {
  const lock = newLock({ heartbeatMs: 20_000 });
  const first = await lock.read.acquire('given up', PATIENT);
  const caller = new AbortController();
  const writer = newLock().write.acquire('given up', { ...PATIENT, signal: caller.signal });
  await redis.untilWaiting('given up', 1);
  const reader = lock.read.acquire('given up', PATIENT);
  await redis.untilWaiting('given up', 2);
  caller.abort(new Error('gone home'));
  await expect(writer).rejects.toThrow('gone home');
  await (await reader).release();
  await first.release();
  await eventually('no key is left', async () => (await redis.leftovers()).length === 0);
});

test('a writer that crashes while it waits stops readers only until its heartbeat is missing', async () => {
  const heartbeatMs = 1000;
  const lock = newLock({ heartbeatMs });
  const first = await lock.read.acquire('dead writer', PATIENT);
  const writer = redis.spawn('hold', 'write', 'dead writer', { heartbeatMs });
  await redis.untilWaiting('dead writer', 1);
  const reader = lock.read.acquire('dead writer', PATIENT);
  await redis.untilWaiting('dead writer', 2);
  writer.kill('SIGKILL');
  const killed = performance.now();
  await (await reader).release();
  expect(performance.now() - killed).toBeLessThan(heartbeatMs + 500);
  await first.release();
});

test('a reader that crashes keeps a writer out until its own lease expires, and ends no other reader’s lease', async () => {
  const lock = newLock();
  const living = await lock.read.acquire('dead reader', PATIENT);
  const dead = redis.spawn('hold', 'read', 'dead reader', { watchdogMs: 700 });
  await eventually('two read', async () => (await lock.readers('dead reader')) === 2);
  dead.kill('SIGKILL');
  await eventually('one reads', async () => (await lock.readers('dead reader')) === 1);
  expect(living.signal.aborted).toBe(false);
  await expect(newLock().write.acquire('dead reader', AT_ONCE)).rejects.toBeInstanceOf(LockTimeout);
  expect(await living.release()).toBe(true);
  const writer = await newLock().write.acquire('dead reader', AT_ONCE);
  await writer.release();
});

test('a read lease that ends aborts its signal before a writer can acquire the lock, and its release returns false', async () => {
  const lock = newLock();
  const dead = await lock.read.acquire('expiry', { ...PATIENT, leaseMs: 200 });
  let lostAt: number | undefined;
  dead.signal.addEventListener('abort', () => {
    lostAt = performance.now();
  });
  const writer = await newLock().write.acquire('expiry', PATIENT);
  expect(lostAt).toBeLessThanOrEqual(performance.now());
  expect(await dead.release()).toBe(false);
  expect(await writer.release()).toBe(true);
});

test('after a downgrade, readers can acquire the lock and writers cannot', async () => {
  const [lock, other] = [newLock(), newLock()];
  const write = await lock.write.acquire('downgrade', PATIENT);
  const order: string[] = [];
  const reader = other.read.acquire('downgrade', PATIENT).then((lease) => {
    order.push('reader');
    return lease;
  });
  await redis.untilWaiting('downgrade', 1);
  const writer = other.write.acquire('downgrade', PATIENT).then((lease) => {
    order.push('writer');
    return lease;
  });
  await redis.untilWaiting('downgrade', 2);

  const read = await lock.downgrade(write);
  expect(read.remaining()).toBeGreaterThan(0);
  expect(await write.release()).toBe(false);
  await (await reader).release();
  expect(order).toEqual(['reader']);
  expect(await lock.readers('downgrade')).toBe(1);
  expect(await read.release()).toBe(true);
  const next = await writer;
  expect(next.token).toBe(2n);
  await next.release();
});

test('a downgrade keeps the kind of the lease: the watchdog continues, a fixed lease ends', async () => {
  const lock = newLock({ watchdogMs: 300 });
  const kept = await lock.downgrade(await lock.write.acquire('kept', PATIENT));
  const fixed = await lock.downgrade(await lock.write.acquire('fixed', { ...PATIENT, leaseMs: 300 }));
  await eventually('the fixed lease has ended', () => fixed.signal.aborted);
  // The holder's lease ends a little before the key expires in Redis.
  await eventually('it has in Redis, too', async () => (await lock.readers('fixed')) === 0);
  await expect(newLock().write.acquire('kept', { waitMs: 600 })).rejects.toBeInstanceOf(LockTimeout);
  expect(kept.signal.aborted).toBe(false);
  expect(await kept.release()).toBe(true);
});

test('a lease that has ended, and a read lease, cannot be downgraded', async () => {
  const lock = newLock();
  const read = await lock.read.acquire('refused', PATIENT);
  await expect(lock.downgrade(read)).rejects.toBeInstanceOf(TypeError);
  await read.release();
  const write = await lock.write.acquire('refused', { ...PATIENT, leaseMs: 100 });
  await eventually('the lease has ended', () => write.signal.aborted);
  await expect(lock.downgrade(write)).rejects.toBeInstanceOf(LockLost);
  expect(await lock.readers('refused')).toBe(0);
  const next = await newLock().write.acquire('refused', AT_ONCE);
  await next.release();
});
