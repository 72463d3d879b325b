import { setTimeout as sleep } from 'node:timers/promises';
import { type Redis } from 'ioredis';
import { LockLost, LockTimeout } from '../src/locks/errors.js';
import { RedlockAdapter } from '../src/locks/redis/redlock-adapter.js';
import { eventually } from './support/eventually.js';
import { commandsOf, RedisNodes, type RedisNode, until } from './support/redis-nodes.js';

let nodes: RedisNodes;
let clients: Redis[];
let lock: RedlockAdapter;
beforeAll(async () => {
  nodes = await RedisNodes.start(3);
  clients = await nodes.connect({ commandTimeout: 500 });
  lock = new RedlockAdapter(clients);
});
beforeEach(() => nodes.recover());
afterAll(() => nodes.stop());

const node = (number: number): RedisNode => nodes.all[number - 1] as RedisNode;
const NOTHING = [null, null, null];
const triesSeen = async () =>
  Number(/cmdstat_set:calls=(\d+)/.exec(await node(1).own.info('commandstats'))?.[1] ?? 0);

test('one holder at a time, and no key is left', async () => {
  const locks = [lock, new RedlockAdapter(await nodes.connect()), new RedlockAdapter(await nodes.connect())];
  let inside = 0;
  let most = 0;
  await Promise.all(
    Array.from({ length: 15 }, (_, i) =>
      (locks[i % 3] as RedlockAdapter).using('key', { waitMs: 50_000, leaseMs: 20_000 }, async () => {
        most = Math.max(most, (inside += 1));
        await sleep(1);
        inside -= 1;
      }),
    ),
  );
  expect(most).toBe(1);
  expect(await nodes.values('lock:key')).toEqual(NOTHING);
});

test('a wait times out with a reason, and does not affect the holder', async () => {
  const held = await lock.acquire('key', { waitMs: 0, leaseMs: 60_000 });
  expect(held).toMatchObject({ token: undefined, attempts: 1 });
  const before = await nodes.values('lock:key');
  const failure = await lock
    .acquire('key', { waitMs: 200, leaseMs: 60_000 })
    .catch((error: unknown) => error);
  expect(failure).toBeInstanceOf(LockTimeout);
  expect((failure as LockTimeout).cause).toMatchObject({ name: 'LockError' });
  await expect(lock.acquire('key', { waitMs: 0 })).rejects.toBeInstanceOf(LockTimeout);
  expect(await nodes.values('lock:key')).toEqual(before);
  expect(await held.release()).toBe(true);
});

test('an aborted wait ends at once and sends no further request', async () => {
  const held = await lock.acquire('key', { waitMs: 0, leaseMs: 60_000 });
  const caller = new AbortController();
  const waiting = lock.acquire('key', { waitMs: 60_000, leaseMs: 90_000, signal: caller.signal });
  caller.abort(new Error('gone home'));
  await expect(waiting).rejects.toThrow('gone home');
  await expect(lock.acquire('key', { waitMs: 0, signal: caller.signal })).rejects.toThrow('gone home');
  const before = await triesSeen();
  expect(await held.release()).toBe(true);
  // Longer than the package's pause between two attempts.
  await sleep(200);
  expect(await triesSeen()).toBe(before);
  expect(await nodes.values('lock:key')).toEqual(NOTHING);
});

test('a wait also times out when the nodes do not answer', async () => {
  for (const n of [1, 2]) node(n).hang();
  const started = performance.now();
  await expect(lock.acquire('key', { waitMs: 1000, leaseMs: 60_000 })).rejects.toBeInstanceOf(LockTimeout);
  // Each attempt takes the connections' time-out of 500 ms. The package would make twenty attempts, for ten seconds.
  expect(performance.now() - started).toBeLessThan(5000);
});

test('the holder’s lease ends, and aborts its signal, before another client can acquire the lock', async () => {
  const leaseMs = 300;
  const lease = await lock.acquire('key', { waitMs: 0, leaseMs });
  expect(lease.remaining()).toBeLessThanOrEqual(leaseMs - leaseMs * 0.01 - 2 + 1);
  const next = await lock.acquire('key', { waitMs: 30_000, leaseMs: 60_000 });
  expect(lease.remaining()).toBe(0);
  await until(() => lease.signal.aborted);
  expect(lease.signal.reason).toBeInstanceOf(LockLost);
  expect(await lease.release()).toBe(false);
  expect(await nodes.values('lock:key')).not.toContain(null);
  expect(await next.release()).toBe(true);
});

test('only its owner can release it', async () => {
  const lease = await lock.acquire('key', { waitMs: 0, leaseMs: 60_000 });
  for (const { own } of nodes.all) await own.set('lock:key', 'another owner');
  expect(await lease.release()).toBe(false);
  expect(await lease.release()).toBe(false);
  expect(await nodes.values('lock:key')).toEqual(Array(3).fill('another owner'));
});

test('a lock without a given lease is extended while a majority answers, and lost when an extension fails', async () => {
  const watchdogMs = 600;
  const holder = new RedlockAdapter(clients, { watchdogMs });
  const lease = await holder.acquire('key', { waitMs: 0 });
  const began = performance.now();
  await node(1).kill();
  await until(() => performance.now() - began > 2 * watchdogMs);
  expect(lease.signal.aborted).toBe(false);
  expect(lease.remaining()).toBeGreaterThan(0);
  await node(2).kill();
  await until(() => lease.signal.aborted);
  await until(async () => (await node(3).own.get('lock:key')) === null);
  expect(await lease.release()).toBe(false);
});

test('a closed lock does not retry a release; an open lock does', async () => {
  const open = async (name: string) => {
    const own = await nodes.connect({ commandTimeout: 500 });
    const lock = new RedlockAdapter(own);
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
