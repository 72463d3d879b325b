import { Redis } from 'ioredis';
import { TcpProxy } from '../src/lab/tcp-proxy.js';
import {
  CountedLock,
  LocalLock,
  type Lock,
  LockLost,
  LockTimeout,
  MultiLock,
  ReadWriteRedisLock,
  RedisLock,
  ReentrantRedisLock,
} from '../src/locks/index.js';
import { eventually } from './support/eventually.js';
import { LockRedis } from './support/lock-redis.js';
import { servers } from './support/test-shop.js';

/** Each of these was a defect: two holders, a lock that no holder could release, or a wrong answer. */
const redis = LockRedis.ofEachTest();
const lockKey = (key: string) => `${redis.prefix}{${key}}`;
const PATIENT = { waitMs: 20_000 };

/** A promise and the function that resolves it. */
function gate(): { readonly opened: Promise<void>; readonly open: () => void } {
  let open: () => void = () => undefined;
  const opened = new Promise<void>((resolve) => (open = resolve));
  return { opened, open };
}

/** A client whose connection goes through a proxy. */
async function proxied(options: object = {}): Promise<{ client: Redis; proxy: TcpProxy }> {
  const url = new URL(servers.redisUrl);
  const proxy = await TcpProxy.to(Number(url.port));
  url.port = String(proxy.port);
  const client = redis.keep(new Redis(url.href, { retryStrategy: () => 20, ...options }));
  await client.ping();
  return { client, proxy };
}

test('an error at one key does not affect the locks of other keys', async () => {
  const lock = redis.lock(RedisLock, { watchdogMs: 400 });
  await redis.lab.rpush(lockKey('broken'), 'not a lock');
  const first = await lock.acquire('sound', PATIENT);
  // Two waiters: the first one gets tokens for both, and may hand the lock over to the second.
  const [second, third] = [lock.acquire('sound', PATIENT), lock.acquire('sound', PATIENT)];
  await first.release();
  const held = await second;
  await expect(lock.acquire('broken', { waitMs: 0 })).rejects.toThrow('WRONGTYPE');
  await held.release();
  expect(await (await third).release()).toBe(true);
  await eventually('the key is free', async () => (await redis.lab.exists(lockKey('sound'))) === 0);
});

test('an entry in flight keeps the lock when another entry of the same holder fails', async () => {
  const lock = redis.lock(ReentrantRedisLock);
  const first = await lock.acquire('nested', PATIENT);
  const inside = new Set<string>();
  let most = 0;
  const enter = (name: string) => {
    inside.add(name);
    most = Math.max(most, inside.size);
  };
  const [entered, leave] = [gate(), gate()];
  let inner: Promise<void> | undefined;
  const outer = lock.using('nested', PATIENT, () => {
    inner = lock.using('nested', { waitMs: 0 }, async () => {
      enter('inner');
      entered.open();
      await leave.opened;
      inside.delete('inner');
    });
    return Promise.all([inner, Promise.reject(new Error('sibling'))]);
  });
  // The outer holder may hand the lock over to this waiter without a round trip, which must not be before the inner
  // entry has left. A waiter that gets the lock earlier stays until the inner entry is inside.
  const next = lock.using('nested', PATIENT, async () => {
    enter('next');
    await entered.opened;
    inside.delete('next');
  });
  await first.release();
  await expect(outer).rejects.toThrow('sibling');
  await entered.opened;
  const stranger = redis.lock(ReentrantRedisLock);
  await expect(stranger.acquire('nested', { waitMs: 50 })).rejects.toBeInstanceOf(LockTimeout);
  leave.open();
  await Promise.all([inner, next]);
  expect(most).toBe(1);
  expect(await redis.leftovers()).toEqual([]);
});

test('re-entry does not shorten the lease and sends nothing to Redis', async () => {
  const lock = redis.lock(ReentrantRedisLock);
  await lock.using('ttl', { waitMs: 1000, leaseMs: 60_000 }, async (outer) => {
    const before = outer.remaining();
    const asked = await commands();
    await lock.using('ttl', { waitMs: 0, leaseMs: 1000 }, (inner) => {
      expect(inner.remaining()).toBeLessThanOrEqual(1000);
      return Promise.resolve();
    });
    expect(await commands()).toBe(asked);
    expect(await redis.lab.pttl(lockKey('ttl'))).toBeGreaterThan(before - 30_000);
  });
});

/** The number of scripts that this Redis has run. */
async function commands(): Promise<number> {
  const stats = await redis.lab.info('commandstats');
  return Number(/cmdstat_evalsha:calls=(\d+)/.exec(stats)?.[1] ?? 0);
}

test('a client with a keyPrefix receives the message of a release', async () => {
  const connect = () => redis.keep(new Redis(servers.redisUrl, { keyPrefix: redis.prefix }));
  const [holder, waiter] = [redis.lock(RedisLock, {}, connect()), redis.lock(RedisLock, {}, connect())];
  const channel = `${lockKey('prefixed')}:free`;
  const lease = await holder.acquire('prefixed', { waitMs: 1000, leaseMs: 30_000 });
  const waiting = waiter.acquire('prefixed', PATIENT);
  await eventually('the waiter is subscribed and waits', async () => {
    const [, listeners] = await redis.lab.pubsub('NUMSUB', channel);
    return (
      Number(listeners) > 0 && ((await redis.lab.get(redis.prefix + lockKey('prefixed'))) ?? '').endsWith('+')
    );
  });
  const heard = redis.labClient();
  const messages: string[] = [];
  heard.on('message', (name: string) => messages.push(name));
  await heard.subscribe(channel);
  await lease.release();
  await (await waiting).release();
  await eventually('the release was published where the waiter listens', () => messages.length > 0);
});

test('a release that is lost in a short outage is retried', async () => {
  const { client, proxy } = await proxied({ commandTimeout: 200, maxRetriesPerRequest: 0 });
  const lock = redis.lock(RedisLock, {}, client);
  const lease = await lock.acquire('outage', { waitMs: 1000, leaseMs: 600_000 });
  proxy.set({ requests: 'drop' });
  expect(await lease.release()).toBe(false);
  expect(await redis.lab.exists(lockKey('outage'))).toBe(1);
  proxy.set({ requests: 'pass' });
  proxy.reset();
  await eventually('the key is free', async () => (await redis.lab.exists(lockKey('outage'))) === 0);
  await proxy.close();
});

test('a downgrade is refused when the read lease ended before its answer came', async () => {
  const { client, proxy } = await proxied();
  const lock = redis.lock(ReadWriteRedisLock, {}, client);
  // Redis must have the script already. Otherwise the delayed answer would be NOSCRIPT.
  await (await lock.downgrade(await lock.write.acquire('late', PATIENT))).release();
  const write = await lock.write.acquire('late', { ...PATIENT, leaseMs: 200 });
  proxy.set({ answers: 'hold' });
  const asked = performance.now();
  const downgrading = lock.downgrade(write);
  downgrading.catch(() => undefined);
  await eventually('the answer is held', () => proxy.intercepted > 0);
  await eventually('the read lease has ended', () => performance.now() > asked + 200);
  proxy.set({ answers: 'pass' });
  await expect(downgrading).rejects.toBeInstanceOf(LockLost);
  await proxy.close();
});

describe.each([
  ['RedisLock', RedisLock],
  ['ReentrantRedisLock', ReentrantRedisLock],
] as const)('%s', (_, Kind) => {
  test('a lease that expired before its answer arrived is not given to the caller', async () => {
    const { client, proxy } = await proxied();
    const lock = redis.lock(Kind, {}, client);
    await (await lock.acquire('late', PATIENT)).release();
    proxy.set({ answers: 'hold' });
    const acquiring = lock.acquire('late', { waitMs: 5000, leaseMs: 100 });
    acquiring.catch(() => undefined);
    await eventually('it is held', async () => (await redis.lab.exists(lockKey('late'))) === 1);
    await eventually('it has expired', async () => (await redis.lab.exists(lockKey('late'))) === 0);
    proxy.set({ answers: 'pass' });
    await expect(acquiring).rejects.toBeInstanceOf(LockLost);
    await proxy.close();
  });

  test('`using` rejects when its lock was lost during the work', async () => {
    const lock = redis.lock(Kind, { watchdogMs: 300 });
    const using = lock.using('half-way', PATIENT, async ({ signal }) => {
      await redis.lab.del(lockKey('half-way'));
      await new Promise((resolve) => {
        signal.addEventListener('abort', resolve);
      });
      return 'done';
    });
    await expect(using).rejects.toBeInstanceOf(LockLost);
  });

  test('waitMs and the signal also bound the wait for a Redis that does not answer', async () => {
    const { client, proxy } = await proxied();
    const lock = redis.lock(Kind, {}, client);
    await (await lock.acquire('hung', PATIENT)).release();
    proxy.set({ answers: 'drop' });
    await expect(lock.acquire('hung', { waitMs: 50 })).rejects.toThrow('did not answer');
    const caller = new AbortController();
    const aborted = lock.acquire('hung too', { ...PATIENT, signal: caller.signal });
    caller.abort(new Error('gone'));
    await expect(aborted).rejects.toThrow('gone');
    await proxy.close();
  });

  test('a closed lock renews no lease', async () => {
    const lock = redis.lock(Kind, { watchdogMs: 300 });
    const lease = await lock.acquire('closed', PATIENT);
    lock.close();
    await eventually('the key has expired', async () => (await redis.lab.exists(lockKey('closed'))) === 0);
    expect(lease.signal.aborted).toBe(true);
  });
});

test('lock objects of one client share its subscriber connection', async () => {
  const client = redis.client();
  const duplicated = jest.spyOn(client, 'duplicate');
  const holder = redis.lock(RedisLock);
  const [a, b] = [redis.lock(RedisLock, {}, client), redis.lock(ReentrantRedisLock, {}, client)];
  const held = [await holder.acquire('a', PATIENT), await holder.acquire('b', PATIENT)];
  const waiting = [a.acquire('a', PATIENT), b.acquire('b', PATIENT)];
  await eventually('both are subscribed', async () => (await redis.channels()).length === 2);
  expect(duplicated).toHaveBeenCalledTimes(1);
  a.close();
  for (const lease of held) await lease.release();
  for (const lease of await Promise.all(waiting)) expect(await lease.release()).toBe(true);
});

test('a lock over several keys lets its work enter a reentrant lock again', async () => {
  const lock = redis.lock(ReentrantRedisLock);
  for (const each of [lock, new CountedLock(lock)] as Lock[]) {
    const entered = await new MultiLock(each).usingAll(['x', 'y'], PATIENT, ({ tokens }) =>
      each.using('y', { waitMs: 0 }, ({ token }) => Promise.resolve(token === tokens.get('y'))),
    );
    expect(entered).toBe(true);
  }
});

test('the lock in one process keeps a lease', async () => {
  const lock = new LocalLock();
  const lease = await lock.acquire('local', { waitMs: 0, leaseMs: 30 });
  const next = await lock.acquire('local', PATIENT);
  expect(lease.signal.aborted).toBe(true);
  expect(await lease.release()).toBe(false);
  expect(await next.release()).toBe(true);
});

test('a key of another program is not changed, and not polled without pause', async () => {
  await redis.lab.set(lockKey('foreign'), 'theirs');
  const asked = await commands();
  await expect(redis.lock(RedisLock).acquire('foreign', { waitMs: 300 })).rejects.toBeInstanceOf(LockTimeout);
  expect((await commands()) - asked).toBeLessThan(10);
  expect(await redis.lab.get(lockKey('foreign'))).toBe('theirs');
});
