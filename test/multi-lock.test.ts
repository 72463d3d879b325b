import {
  type AcquireOptions,
  type Lease,
  Lock,
  LockLost,
  LockTimeout,
  MultiLock,
  RedisLock,
} from '../src/locks/index.js';
import { LocalLock } from '../src/locks/local-lock.js';
import { eventually } from './support/eventually.js';
import { LockRedis } from './support/lock-redis.js';

const redis = LockRedis.ofEachTest();
const newLock = () => redis.lock(RedisLock);

const PATIENT: AcquireOptions = { waitMs: 30_000 };

/** Records the calls of a lock. */
class Watched extends Lock {
  readonly log: string[] = [];
  constructor(private readonly lock: Lock) {
    super();
  }
  async acquire(key: string, options: AcquireOptions): Promise<Lease> {
    const lease = await this.lock.acquire(key, options);
    this.log.push(`+${key}`);
    const release = lease.release.bind(lease);
    lease.release = () => {
      this.log.push(`-${key}`);
      return release();
    };
    return lease;
  }
}

test('keys are acquired in a fixed order, each once, and released in the reverse order', async () => {
  const watched = new Watched(new LocalLock());
  const lease = await new MultiLock(watched).acquireAll(['b', 'a', 'B', 'b', 'c'], PATIENT);
  expect([...lease.tokens.keys()]).toEqual(['B', 'a', 'b', 'c']);
  expect(await lease.release()).toBe(true);
  expect(await lease.release()).toBe(false);
  expect(watched.log.slice(0, 8)).toEqual(['+B', '+a', '+b', '+c', '-c', '-b', '-a', '-B']);
});

test('two clients that name the same keys in opposite orders do not deadlock', async () => {
  const [one, other] = [new MultiLock(newLock()), new MultiLock(newLock())];
  let inside = 0;
  let most = 0;
  const work = async () => {
    most = Math.max(most, (inside += 1));
    await new Promise(setImmediate);
    inside -= 1;
  };
  await Promise.all(
    Array.from({ length: 40 }, (_, i) =>
      i % 2 === 0
        ? one.usingAll(['left', 'right'], PATIENT, work)
        : other.usingAll(['right', 'left'], PATIENT, work),
    ),
  );
  expect(most).toBe(1);
  await eventually('no key is left', async () => (await redis.leftovers()).length === 0);
});

test('when one key cannot be acquired in time, none is held', async () => {
  const blocker = await newLock().acquire('b', PATIENT);
  const lock = newLock();
  const started = performance.now();
  await expect(new MultiLock(lock).acquireAll(['a', 'b', 'c'], { waitMs: 300 })).rejects.toBeInstanceOf(
    LockTimeout,
  );
  expect(performance.now() - started).toBeGreaterThanOrEqual(299);
  for (const key of ['a', 'c']) await (await newLock().acquire(key, { waitMs: 0 })).release();
  expect(await blocker.release()).toBe(true);
});

test('all keys share one time budget', async () => {
  const blockers = await Promise.all(['a', 'b', 'c'].map((key) => newLock().acquire(key, PATIENT)));
  const started = performance.now();
  const waiting = new MultiLock(newLock()).acquireAll(['a', 'b', 'c'], { waitMs: 2000 });
  setTimeout(() => void blockers[0]?.release(), 1900);
  const timeout = (await waiting.catch((error: unknown) => error)) as LockTimeout;
  expect(timeout).toBeInstanceOf(LockTimeout);
  // A separate budget for the second key would have ended after 3.9 s. The error reports the whole wait.
  expect(performance.now() - started).toBeLessThan(3800);
  expect(timeout.waitedMs).toBeGreaterThanOrEqual(1999);
  for (const blocker of blockers) await blocker.release();
});

test('an aborted wait releases the keys that it had acquired', async () => {
  const blocker = await newLock().acquire('b', PATIENT);
  const caller = new AbortController();
  const waiting = new MultiLock(newLock()).acquireAll(['a', 'b'], { ...PATIENT, signal: caller.signal });
  const isHeld = async () => (await redis.lab.exists(`${redis.prefix}{a}`)) === 1;
  await eventually('the first key is held', isHeld);
  caller.abort(new Error('gone home'));
  await expect(waiting).rejects.toThrow('gone home');
  expect(await isHeld()).toBe(false);
  await blocker.release();
});

test('the loss of one key is a loss of the whole lock', async () => {
  const lease = await new MultiLock(newLock()).acquireAll(['a', 'b'], { ...PATIENT, leaseMs: 300 });
  expect(lease.remaining()).toBeLessThanOrEqual(300);
  const lost = new Promise((resolve) => {
    lease.signal.addEventListener('abort', resolve);
  });
  await lost;
  expect(lease.signal.reason).toBeInstanceOf(LockLost);
  expect(lease.remaining()).toBe(0);
  expect(await lease.release()).toBe(false);
});

test('a key that the watchdog cannot renew aborts the signal while the other keys are still held', async () => {
  const lock = redis.lock(RedisLock, { watchdogMs: 600 });
  const lease = await new MultiLock(lock).acquireAll(['a', 'b'], PATIENT);
  expect(lease.signal.aborted).toBe(false);
  await redis.lab.del(`${redis.prefix}{b}`);
  await eventually('the loss is noticed', () => lease.signal.aborted);
  expect(await redis.lab.exists(`${redis.prefix}{a}`)).toBe(1);
  expect(await lease.release()).toBe(false);
  expect(await redis.lab.exists(`${redis.prefix}{a}`)).toBe(0);
});

test('the wait for the next key ends before the lease of the first key', async () => {
  const blocker = await newLock().acquire('b', PATIENT);
  const waiting = new MultiLock(newLock()).acquireAll(['a', 'b'], { ...PATIENT, leaseMs: 300 });
  await expect(waiting).rejects.toBeInstanceOf(LockTimeout);
  await blocker.release();
});

test('the keys are released when the work fails', async () => {
  const lock = new LocalLock();
  const failing = new MultiLock(lock).usingAll(['a', 'b'], PATIENT, () => Promise.reject(new Error('no')));
  await expect(failing).rejects.toThrow('no');
  expect(lock.size).toBe(0);
});

test('a lease that ends while its process is blocked is lost, although no timer could run', async () => {
  const multi = new MultiLock(new LocalLock());
  const blocked = multi.usingAll(['a', 'b'], { waitMs: 0, leaseMs: 200 }, (lease) => {
    const { signal } = lease;
    while (lease.remaining() > 0);
    expect(lease.signal).toBe(signal);
    expect(signal.aborted).toBe(true);
    return Promise.resolve();
  });
  await expect(blocked).rejects.toBeInstanceOf(LockLost);
});
