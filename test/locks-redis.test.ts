import { setTimeout as sleep } from 'node:timers/promises';
import fc from 'fast-check';
import { Redis } from 'ioredis';
import {
  type Lease,
  LockTimeout,
  RedisLock,
  type RedisLockOptions,
  ReentrantRedisLock,
} from '../src/locks/index.js';
import { TcpProxy } from '../src/lab/tcp-proxy.js';
import { eventually } from './support/eventually.js';
import { servers } from './support/test-shop.js';

const url = new URL(servers.redisLabUrl);
const prefix = `lockstock:redis-locks-${process.pid}:`;
const opened: Redis[] = [];

/** A client as the service creates it: commands fail soon, and unanswered ones are sent again after a reconnect. */
function connect(port = Number(url.port)): Redis {
  const client = new Redis({
    host: '127.0.0.1',
    port,
    username: url.username,
    password: url.password,
    commandTimeout: 3000,
    maxRetriesPerRequest: 3,
    retryStrategy: () => 20,
  });
  client.on('error', () => undefined);
  opened.push(client);
  // A lock subscribes on a connection of its own, which must also be closed at the end.
  const duplicate = client.duplicate.bind(client);
  client.duplicate = (...args: Parameters<typeof duplicate>) => {
    const subscriber = duplicate(...args);
    opened.push(subscriber);
    return subscriber;
  };
  return client;
}

/** Counts the refused attempts of this client: the script returns a negative number. */
function refusals(client: Redis): () => number {
  let count = 0;
  const send = client.sendCommand.bind(client);
  client.sendCommand = (...args: Parameters<typeof send>) => {
    const answer = send(...args);
    void Promise.resolve(answer).then(
      (value) => (count += typeof value === 'number' && value < 0 ? 1 : 0),
      () => undefined,
    );
    return answer;
  };
  return () => count;
}

let observer: Redis;
beforeAll(() => {
  observer = connect();
});
afterAll(() => {
  for (const client of opened) client.disconnect();
});

const KINDS = [
  ['RedisLock', (client: Redis, options: RedisLockOptions) => new RedisLock(client, options)],
  [
    'ReentrantRedisLock',
    (client: Redis, options: RedisLockOptions) => new ReentrantRedisLock(client, options),
  ],
] as const;

describe.each(KINDS)('%s', (name, make) => {
  const options = { prefix: `${prefix}${name}:`, watchdogMs: 1500 };
  const lockKey = (key: string) => `${options.prefix}{${key}}`;
  const isHeld = async (key: string) => (await observer.exists(lockKey(key))) === 1;
  const subscribed = (key: string) =>
    eventually('somebody listens', async () => {
      const [, listeners] = await observer.pubsub('NUMSUB', `${lockKey(key)}:free`);
      return Number(listeners) > 0;
    });

  test('a waiter acquires the lock before the lease ends, although it was released between the failed attempt and SUBSCRIBE', async () => {
    const holder = await make(connect(), options).acquire('wake', { waitMs: 1000, leaseMs: 30_000 });
    const client = connect();
    const duplicate = client.duplicate.bind(client);
    // The waiter's SUBSCRIBE is delayed until the lock was released and the message was published.
    client.duplicate = (...args: Parameters<typeof duplicate>) => {
      const subscriber = duplicate(...args);
      const subscribe = subscriber.subscribe.bind(subscriber) as (channel: string) => Promise<unknown>;
      subscriber.subscribe = (async (channel: string) => {
        await holder.release();
        return subscribe(channel);
      }) as typeof subscriber.subscribe;
      return subscriber;
    };
    const lease = await make(client, options).acquire('wake', { waitMs: 20_000 });
    expect(lease.waitedMs).toBeLessThan(10_000);
    expect(await lease.release()).toBe(true);
  });

  test('a lost message delays a waiter at most until its next attempt', async () => {
    const holder = await make(connect(), options).acquire('deaf', { waitMs: 1000, leaseMs: 30_000 });
    const proxy = await TcpProxy.to(Number(url.port));
    const client = connect();
    const deaf = connect(proxy.port);
    client.duplicate = () => deaf;
    // A command that waits for the connection would be sent, and counted, twice.
    await client.ping();
    const refused = refusals(client);
    const waiting = make(client, options).acquire('deaf', { waitMs: 20_000 });
    await subscribed('deaf');
    // Release only after the second attempt, which follows SUBSCRIBE. This attempt would find an earlier release.
    await eventually('the attempt after the subscription is refused', () => refused() >= 2);
    proxy.set({ answers: 'drop' });
    await holder.release();
    await eventually('the message is lost', () => proxy.intercepted > 0);
    const lease = await waiting;
    expect(lease.attempts).toBeGreaterThanOrEqual(3);
    expect(lease.waitedMs).toBeLessThan(15_000);
    await lease.release();
    deaf.disconnect();
    await proxy.close();
  });

  test('an acquire whose reply was lost counts once when it is retried', async () => {
    const proxy = await TcpProxy.to(Number(url.port));
    const client = connect(proxy.port);
    await client.ping();
    const lock = make(client, options);
    await (await lock.acquire('resent', { waitMs: 1000 })).release();
    proxy.set({ answers: 'drop' });
    const acquiring = lock.acquire('resent', { waitMs: 5000, leaseMs: 20_000 });
    await eventually('it is taken', () => isHeld('resent'));
    const token = await observer.get(`${lockKey('resent')}:fence`);
    await eventually('the answer is lost', () => proxy.intercepted > 0);
    proxy.set({ answers: 'pass' });
    proxy.reset();
    const lease = await acquiring;
    expect(await observer.get(`${lockKey('resent')}:fence`)).toBe(token);

    // The same for the release: its answer is lost, it is sent again, and it still reports that the caller was the owner.
    proxy.set({ answers: 'drop' });
    const releasing = lease.release();
    await eventually('it is free', async () => !(await isHeld('resent')));
    proxy.set({ answers: 'pass' });
    proxy.reset();
    expect(await releasing).toBe(true);
    client.disconnect();
    await proxy.close();
  });

  test('the holder’s lease is shorter by the time that a late answer took', async () => {
    const proxy = await TcpProxy.to(Number(url.port));
    const lock = make(connect(proxy.port), options);
    await (await lock.acquire('late', { waitMs: 1000 })).release();
    proxy.set({ answers: 'hold' });
    const asked = performance.now();
    const acquiring = lock.acquire('late', { waitMs: 5000, leaseMs: 20_000 });
    await eventually('the answer is under way for a while', () => performance.now() - asked > 200);
    proxy.set({ answers: 'pass' });
    const lease = await acquiring;
    expect(lease.remaining()).toBeLessThanOrEqual(20_000 - 200);
    expect(await lease.release()).toBe(true);
    await proxy.close();
  });

  test('a grant that arrives after the caller’s abort is released', async () => {
    const proxy = await TcpProxy.to(Number(url.port));
    const lock = make(connect(proxy.port), options);
    await (await lock.acquire('unwanted', { waitMs: 1000 })).release();
    const caller = new AbortController();
    proxy.set({ answers: 'hold' });
    const acquiring = lock.acquire('unwanted', { waitMs: 5000, leaseMs: 30_000, signal: caller.signal });
    await eventually('it is taken', () => isHeld('unwanted'));
    caller.abort(new Error('gone home'));
    proxy.set({ answers: 'pass' });
    await expect(acquiring).rejects.toThrow('gone home');
    expect(await isHeld('unwanted')).toBe(false);
    await proxy.close();
  });

  test('after a broken connection the holder still has its lease and the waiters their places', async () => {
    const proxy = await TcpProxy.to(Number(url.port));
    const client = connect(proxy.port);
    const lock = make(client, options);
    const held = await lock.acquire('broken', { waitMs: 1000 });
    const waiter = make(connect(proxy.port), options);
    const waiting = waiter.acquire('broken', { waitMs: 20_000 });
    await subscribed('broken');
    proxy.reset();
    await eventually('somebody has connected again', () => proxy.connections >= 3);
    expect(held.signal.aborted).toBe(false);
    expect(await held.release()).toBe(true);
    expect(await (await waiting).release()).toBe(true);
    await proxy.close();
  });

  test('the watchdog renews while the holder runs; a caller that sets a lease gets no watchdog', async () => {
    const lock = make(connect(), { ...options, watchdogMs: 300 });
    const renewed = await lock.acquire('renewed', { waitMs: 1000 });
    const fixed = await lock.acquire('fixed', { waitMs: 1000, leaseMs: 300 });
    await new Promise((resolve) => {
      fixed.signal.addEventListener('abort', resolve);
    });
    await eventually('the other has ended', async () => !(await isHeld('fixed')));
    await sleep(400);
    expect(await observer.exists(lockKey('renewed'))).toBe(1);
    expect(renewed.remaining()).toBeGreaterThan(0);
    expect(await renewed.release()).toBe(true);
    expect(await fixed.release()).toBe(false);
  });

  test('the next renewal notices that the lock was deleted', async () => {
    const lock = make(connect(), { ...options, watchdogMs: 300 });
    const lease = await lock.acquire('deleted', { waitMs: 1000 });
    const lost = new Promise((resolve) => {
      lease.signal.addEventListener('abort', resolve);
    });
    await observer.del(lockKey('deleted'));
    await lost;
    expect(lease.remaining()).toBe(0);
    expect(await lease.release()).toBe(false);
  });

  test('any sequence of acquire, release and crash agrees with a model', async () => {
    const step = fc.record({ who: fc.nat(2), what: fc.constantFrom('acquire', 'release', 'crash' as const) });
    let round = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 14 }), async (steps) => {
        round += 1;
        const key = `model-${round}`;
        const locks = [0, 1, 2].map(() => make(observer, options));
        const leases: (Lease | undefined)[] = [undefined, undefined, undefined];
        let holder: number | undefined;
        let lastToken = 0n;
        for (const { who, what } of steps) {
          const lock = locks[who] as RedisLock;
          if (what === 'acquire' && leases[who] === undefined) {
            const lease = await lock.acquire(key, { waitMs: 0, leaseMs: 20_000 }).catch((error: unknown) => {
              expect(error).toBeInstanceOf(LockTimeout);
              return undefined;
            });
            expect(lease !== undefined).toBe(holder === undefined);
            if (!lease) continue;
            expect(lease.token).toBeGreaterThan(lastToken);
            lastToken = lease.token as bigint;
            [leases[who], holder] = [lease, who];
          } else if (what === 'release' && leases[who]) {
            expect(await leases[who].release()).toBe(holder === who);
            if (holder === who) holder = undefined;
            leases[who] = undefined;
          } else if (what === 'crash' && holder === who) {
            // The lease ends without a release, and the holder does not notice.
            await observer.del(lockKey(key));
            holder = undefined;
          }
        }
        for (const lock of locks) lock.close();
      }),
      { numRuns: 60 },
    );
  });
});

describe('the reentrant lock', () => {
  const options = { prefix: `${prefix}nested:`, watchdogMs: 1500 };

  test('can be entered again by its holder, across awaits, with the same token, and is free after the last exit', async () => {
    const lock = new ReentrantRedisLock(connect(), options);
    const other = new ReentrantRedisLock(connect(), options);
    await lock.using('nested', { waitMs: 1000 }, async (outer) => {
      await sleep(1);
      await lock.using('nested', { waitMs: 0 }, async (inner) => {
        expect(inner.token).toBe(outer.token);
        expect(outer.remaining()).toBeGreaterThan(0);
        await expect(other.acquire('nested', { waitMs: 30 })).rejects.toBeInstanceOf(LockTimeout);
      });
      await expect(other.acquire('nested', { waitMs: 30 })).rejects.toBeInstanceOf(LockTimeout);
    });
    const next = await other.acquire('nested', { waitMs: 1000 });
    expect(await next.release()).toBe(true);
  });

  test('cannot be entered by another caller in the same process', async () => {
    const lock = new ReentrantRedisLock(connect(), options);
    let inside = 0;
    let most = 0;
    const work = () =>
      lock.using('neighbours', { waitMs: 20_000 }, async () => {
        most = Math.max(most, (inside += 1));
        await lock.using('neighbours', { waitMs: 0 }, () => sleep(1));
        inside -= 1;
      });
    await Promise.all(Array.from({ length: 30 }, work));
    expect(most).toBe(1);
  });

  test('work that continues after its `using` must acquire the lock like any other caller', async () => {
    const lock = new ReentrantRedisLock(connect(), options);
    let later: Promise<Lease> | undefined;
    let go: () => void = () => undefined;
    const outside = new Promise<void>((resolve) => (go = resolve));
    await lock.using('outlived', { waitMs: 1000 }, () => {
      later = outside.then(() => lock.acquire('outlived', { waitMs: 60 }));
      return Promise.resolve();
    });
    const holder = await lock.acquire('outlived', { waitMs: 1000 });
    go();
    await expect(later).rejects.toBeInstanceOf(LockTimeout);
    expect(await holder.release()).toBe(true);
  });
});
