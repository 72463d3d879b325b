import { isDeepStrictEqual } from 'node:util';
import { type Redis } from 'ioredis';
import { LockLost, LockTimeout } from '../src/locks/errors.js';
import { QuorumRedisLock } from '../src/locks/redis/quorum-lock.js';
import { eventually } from './support/eventually.js';
import { commandsOf, type Memory, RedisNodes, type RedisNode, until } from './support/redis-nodes.js';

let nodes: RedisNodes;
let clients: Redis[];
let lock: QuorumRedisLock;
beforeAll(async () => {
  nodes = await RedisNodes.start(5);
  clients = await nodes.connect();
  // Longer than this process may be delayed. Tests with hanging nodes choose their own value.
  lock = new QuorumRedisLock(clients, { nodeTimeoutMs: 5000 });
});
beforeEach(() => nodes.recover());
afterAll(() => nodes.stop());

const node = (number: number): RedisNode => nodes.all[number - 1] as RedisNode;
const NOTHING = [null, null, null, null, null];
/** On the lock's own connections, so after all commands that it has sent. */
const seenByTheLock = (key: string) => Promise.all(clients.map((client) => client.get(key)));
/** By a release: the leases of these tests are longer than the time limit of a test. */
const goneEverywhere = (key: string) =>
  until(async () => (await seenByTheLock(key)).every((value) => value === null));
const grantsAsked = async ({ own }: RedisNode) =>
  Number(/cmdstat_set:calls=(\d+)/.exec(await own.info('commandstats'))?.[1] ?? 0);

describe('a majority', () => {
  const subsets = Array.from({ length: 32 }, (_, bits) =>
    [1, 2, 3, 4, 5].filter((n) => bits & (1 << (n - 1))),
  );

  test.each(subsets.map((taken) => [taken.join(' ') || 'none', taken] as const))(
    'decides how long other clients see the lock as held: %s',
    async (_, taken) => {
      const others = [1, 2, 3, 4, 5].map((n) => (taken.includes(n) ? 'another owner' : null));
      for (const n of taken) await node(n).own.set('lock:subset', 'another owner');
      const attempt = lock.acquire('subset', { waitMs: 0, leaseMs: 10_000 });
      if (taken.length <= 2) {
        const lease = await attempt;
        expect(lease.token).toBeUndefined();
        expect((await seenByTheLock('lock:subset')).filter((value) => value !== 'another owner')).toEqual(
          Array(5 - taken.length).fill(expect.stringMatching(/^[0-9a-f-]{36}$/)),
        );
        expect(await lease.release()).toBe(true);
        await until(async () => isDeepStrictEqual(await nodes.values('lock:subset'), others));
      } else {
        await expect(attempt).rejects.toBeInstanceOf(LockTimeout);
        expect(await nodes.values('lock:subset')).toEqual(others);
      }
    },
  );

  test.each([0, 1, 2, 4, 6])('is not defined among %i nodes', (count) => {
    const given = [...clients, node(1).own].slice(0, count);
    expect(() => new QuorumRedisLock(given)).toThrow(`odd number of nodes, 3 at least; ${count} were given`);
  });

  test('counts the answers that arrived while this process was blocked', async () => {
    const nodeTimeoutMs = 50;
    const attempt = new QuorumRedisLock(clients, { nodeTimeoutMs }).acquire('key', {
      waitMs: 0,
      leaseMs: 60_000,
    });
    // The requests are sent. The process is blocked while the answers arrive, until long after the time-out.
    await new Promise(setImmediate);
    const asked = performance.now();
    while (performance.now() - asked < 10 * nodeTimeoutMs);
    expect(await (await attempt).release()).toBe(true);
  });

  test('counts every node once', () => {
    const [a, b] = clients as [Redis, Redis];
    expect(() => new QuorumRedisLock([a, b, a])).toThrow('given twice');
  });
});

describe('nodes that are down', () => {
  test('two of five: the lock is acquired and released', async () => {
    await Promise.all([node(2).kill(), node(4).kill()]);
    const lease = await lock.acquire('key', { waitMs: 1000, leaseMs: 10_000 });
    expect(await nodes.values('lock:key')).toEqual([
      expect.any(String),
      null,
      expect.any(String),
      null,
      expect.any(String),
    ]);
    expect(await lease.release()).toBe(true);
    await until(async () => (await nodes.values('lock:key')).every((value) => value === null));
  });

  test('three of five: no client acquires it, the wait ends in time, no key stays on the other nodes, the error names the cause', async () => {
    await Promise.all([1, 3, 5].map((n) => node(n).kill()));
    const failure = await lock
      .acquire('key', { waitMs: 200, leaseMs: 10_000 })
      .catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(LockTimeout);
    const { waitedMs, cause } = failure as LockTimeout;
    expect(waitedMs).toBeGreaterThanOrEqual(200);
    expect(cause).toBeInstanceOf(AggregateError);
    expect(await nodes.values('lock:key')).toEqual(NOTHING);
  });

  test('a node that restarts during the wait completes the majority', async () => {
    await Promise.all([1, 3, 5].map((n) => node(n).kill()));
    const waiting = lock.acquire('key', { waitMs: 30_000, leaseMs: 10_000 });
    await node(3).start();
    const lease = await waiting;
    expect(lease.attempts).toBeGreaterThan(1);
    expect(await lease.release()).toBe(true);
  });
});

describe('nodes that hang', () => {
  /** Longer than the time limit of a test: a grant that waited for the node's answer would fail the test. */
  const patient = () => new QuorumRedisLock(clients, { nodeTimeoutMs: 120_000 });

  test('one: neither the grant nor the release waits for it, and no key is left on it afterwards', async () => {
    node(3).hang();
    const lease = await patient().acquire('key', { waitMs: 0, leaseMs: 60_000 });
    expect(lease.remaining()).toBeGreaterThan(0);
    expect(await lease.release()).toBe(true);
    node(3).wakeUp();
    await goneEverywhere('lock:key');
  });

  test('three: not granted, and the grants that arrive when the nodes resume are released', async () => {
    for (const n of [1, 2, 3]) node(n).hang();
    const impatient = new QuorumRedisLock(clients, { nodeTimeoutMs: 50 });
    await expect(impatient.acquire('key', { waitMs: 0, leaseMs: 60_000 })).rejects.toBeInstanceOf(
      LockTimeout,
    );
    expect(await Promise.all([node(4).own.get('lock:key'), node(5).own.get('lock:key')])).toEqual([
      null,
      null,
    ]);
    for (const n of [1, 2, 3]) node(n).wakeUp();
    await goneEverywhere('lock:key');
  });

  test('three, and a connection breaks before the release: a grant after the reconnect is released', async () => {
    const resending = await nodes.connect({ autoResendUnfulfilledCommands: true, maxRetriesPerRequest: 9 });
    const before = await grantsAsked(node(5));
    for (const n of [1, 2, 5]) node(n).hang();
    const attempt = new QuorumRedisLock(resending).acquire('key', { waitMs: 0, leaseMs: 120_000 });
    await new Promise(setImmediate);
    resending[4]?.stream.destroy();
    await expect(attempt).rejects.toBeInstanceOf(LockTimeout);
    node(5).wakeUp();
    // Once on the connection that broke, and once on the next one.
    await until(async () => (await grantsAsked(node(5))) === before + 2);
    await until(async () => (await node(5).own.get('lock:key')) === null);
  });

  test('three, until after the lease: all grants arrive too late and are released', async () => {
    for (const n of [1, 2, 3]) node(n).hang();
    const asked = performance.now();
    const attempt = patient().acquire('key', { waitMs: 0, leaseMs: 400 });
    await until(() => performance.now() - asked > 400);
    for (const n of [1, 2, 3]) node(n).wakeUp();
    await expect(attempt).rejects.toBeInstanceOf(LockTimeout);
    expect(await nodes.values('lock:key')).toEqual(NOTHING);
  });

  test('three, for a part of the lease: the caller’s lease is shorter by that time', async () => {
    for (const n of [1, 2, 3]) node(n).hang();
    const leaseMs = 10_000;
    const asked = performance.now();
    const attempt = patient().acquire('key', { waitMs: 0, leaseMs });
    await until(() => performance.now() - asked > 500);
    for (const n of [1, 2, 3]) node(n).wakeUp();
    const lease = await attempt;
    const elapsed = performance.now() - asked;
    expect(elapsed).toBeGreaterThan(500);
    expect(lease.remaining()).toBeLessThanOrEqual(leaseMs - elapsed);
    expect(lease.remaining()).toBeGreaterThan(0);
    await lease.release();
  });
});

describe('the lease', () => {
  test('expires by its own clock before another client can acquire the lock, and aborts its signal', async () => {
    const short = await lock.acquire('key', { waitMs: 0, leaseMs: 200 });
    const other = new QuorumRedisLock(await nodes.connect());
    const next = await other.acquire('key', { waitMs: 30_000, leaseMs: 10_000 });
    expect(short.remaining()).toBe(0);
    await until(() => short.signal.aborted);
    expect(short.signal.reason).toBeInstanceOf(LockLost);
    expect(await short.release()).toBe(false);
    expect(await next.release()).toBe(true);
  });

  test('that ended without a release does not delay the next caller of its process', async () => {
    await lock.acquire('key', { waitMs: 0, leaseMs: 100 });
    const next = await lock.acquire('key', { waitMs: 30_000, leaseMs: 10_000 });
    expect(await next.release()).toBe(true);
  });

  test('is renewed by the watchdog while a majority answers, and ends when it does not', async () => {
    const watchdogMs = 1500;
    const holder = new QuorumRedisLock(clients, { watchdogMs });
    const lease = await holder.acquire('key', { waitMs: 0 });
    const began = performance.now();
    await Promise.all([node(1).kill(), node(2).kill()]);
    await until(() => performance.now() - began > 2 * watchdogMs);
    expect(lease.signal.aborted).toBe(false);
    expect(lease.remaining()).toBeLessThanOrEqual(watchdogMs);
    await expect(lock.acquire('key', { waitMs: 0 })).rejects.toBeInstanceOf(LockTimeout);

    await node(3).kill();
    await until(() => lease.signal.aborted);
    // The minority is not renewed although the holder has not released: it would block all other clients for ever.
    await until(async () => (await nodes.values('lock:key')).every((value) => value === null));
    expect(await lease.release()).toBe(false);
  });

  test('is lost when a majority answers that it is not held', async () => {
    const holder = new QuorumRedisLock(clients, { watchdogMs: 3000 });
    const lease = await holder.acquire('key', { waitMs: 0 });
    await seenByTheLock('lock:key');
    await Promise.all([1, 2, 3].map((n) => node(n).own.del('lock:key')));
    await until(() => lease.signal.aborted);
    expect(await lease.release()).toBe(false);
    await goneEverywhere('lock:key');
  });

  test('can be released by its owner only, and once', async () => {
    const lease = await lock.acquire('key', { waitMs: 0, leaseMs: 10_000 });
    await seenByTheLock('lock:key');
    for (const { own } of nodes.all) await own.set('lock:key', 'another owner');
    expect(await lease.release()).toBe(false);
    expect(await lease.release()).toBe(false);
    expect(await seenByTheLock('lock:key')).toEqual(Array(5).fill('another owner'));
  });
});

describe('waiting', () => {
  test('three processes: one holder at a time, and no key is left', async () => {
    const locks = await Promise.all([1, 2, 3].map(async () => new QuorumRedisLock(await nodes.connect())));
    let inside = 0;
    let most = 0;
    await Promise.all(
      Array.from({ length: 60 }, (_, i) =>
        (locks[i % 3] as QuorumRedisLock).using('key', { waitMs: 50_000, leaseMs: 20_000 }, async (lease) => {
          most = Math.max(most, (inside += 1));
          await node(1).own.ping();
          expect(lease.remaining()).toBeLessThanOrEqual(20_000 - 202);
          inside -= 1;
        }),
      ),
    );
    expect(most).toBe(1);
    await goneEverywhere('lock:key');
  });

  test('an aborted wait ends at once and leaves no key', async () => {
    const other = new QuorumRedisLock(await nodes.connect());
    const held = await other.acquire('key', { waitMs: 0, leaseMs: 60_000 });
    const caller = new AbortController();
    const waiting = lock.acquire('key', { waitMs: 60_000, signal: caller.signal });
    const behind = lock.acquire('key', { waitMs: 60_000, signal: caller.signal });
    caller.abort(new Error('gone home'));
    await expect(waiting).rejects.toThrow('gone home');
    await expect(behind).rejects.toThrow('gone home');
    await expect(lock.acquire('key', { waitMs: 0, signal: caller.signal })).rejects.toThrow('gone home');
    expect(new Set(await seenByTheLock('lock:key')).size).toBe(1);
    expect(await held.release()).toBe(true);
    await goneEverywhere('lock:key');
  });

  test('an abort while requests are in flight releases the grants that arrive later', async () => {
    for (const n of [1, 2, 3]) node(n).hang();
    const caller = new AbortController();
    const patient = new QuorumRedisLock(clients, { nodeTimeoutMs: 120_000 });
    const waiting = patient.acquire('key', { waitMs: 0, leaseMs: 60_000, signal: caller.signal });
    await until(async () => (await node(5).own.get('lock:key')) !== null);
    caller.abort(new Error('gone home'));
    for (const n of [1, 2, 3]) node(n).wakeUp();
    await expect(waiting).rejects.toThrow('gone home');
    expect(await nodes.values('lock:key')).toEqual(NOTHING);
  });
});

describe('the known weakness: a node that restarts (P8)', () => {
  async function aSecondHolder(memory: Memory) {
    for (const n of [1, 2, 3, 4, 5]) await node(n).kill();
    for (const n of [1, 2, 3]) {
      node(n).memory = memory;
      await node(n).start();
    }
    const b = new QuorumRedisLock(await nodes.connect());
    await until(() => clients.slice(0, 3).every(({ status }) => status === 'ready'));
    const first = await lock.acquire('key', { waitMs: 0, leaseMs: 60_000 });
    await node(3).kill();
    for (const n of [3, 4, 5]) await node(n).start();
    const second = b.acquire('key', { waitMs: 1000, leaseMs: 60_000 });
    return { first, second };
  }

  test('a restart without data lets a second client acquire while the first still holds its lease', async () => {
    const { first, second } = await aSecondHolder('forgets');
    const intruder = await second;
    expect(intruder.signal.aborted).toBe(false);
    expect(first.signal.aborted).toBe(false);
    expect(first.remaining()).toBeGreaterThan(0);
    await Promise.all([first.release(), intruder.release()]);
  });

  test('a restart with data (AOF, fsync always) does not', async () => {
    const { first, second } = await aSecondHolder('remembers');
    await expect(second).rejects.toBeInstanceOf(LockTimeout);
    expect(await first.release()).toBe(true);
  });
});

test('a closed lock does not retry a release; an open lock does', async () => {
  const open = async (name: string) => {
    const own = await nodes.connect();
    const lock = new QuorumRedisLock(own);
    const lease = await lock.acquire(name, { waitMs: 0, leaseMs: 3_600_000 });
    return { lock, lease, sent: commandsOf(own[0] as Redis) };
  };
  const [closed, other] = [await open('closed'), await open('other')];
  for (const each of nodes.all) each.hang();
  expect(await Promise.all([closed.lease.release(), other.lease.release()])).toEqual([false, false]);
  closed.lock.close();
  const [before, repeated] = [closed.sent(), other.sent() + 3];
  await eventually('the other lock repeats its release', () => other.sent() >= repeated);
  expect(closed.sent()).toBe(before);
});
