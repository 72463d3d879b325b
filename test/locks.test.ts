import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { LockTimeout } from '../src/locks/index.js';
import { LAB_ACCOUNT } from '../src/lab/engines/mariadb.js';
import { ROOT } from '../src/lab/paths.js';
import { eventually } from './support/eventually.js';
import { LOCK_KINDS, type LockPlaces, type OpenLock } from './support/lock-kinds.js';
import { isHere } from './support/optional-servers.js';
import { asLab, servers, TestShop } from './support/test-shop.js';

const PROCESSES = 3;

let shop: TestShop;
let redis: Redis;
let places: LockPlaces;
const workers: ChildProcess[] = [];
beforeAll(async () => {
  // For its lock_rows table.
  shop = await TestShop.open({ instances: 1 });
  redis = new Redis(servers.redisLabUrl);
  const { databasePort: port, secrets } = servers;
  places = {
    redisUrl: servers.redisLabUrl,
    masterUrls: servers.redlockUrls.map(asLab),
    database: {
      host: '127.0.0.1',
      port,
      user: LAB_ACCOUNT,
      password: secrets.labPassword,
      database: shop.database,
    },
    prefix: `lockstock:locks-${process.pid}:`,
    etcdUrl: servers.etcdLabUrl,
    zookeeperUrl: servers.zookeeperUrl,
  };
});
afterAll(async () => {
  // Also those of a failed test: they would keep the whole run from ending.
  for (const child of workers) child.kill('SIGKILL');
  await redis.quit();
  await shop.close();
});

/** Longer than a process waits on a busy machine: a holder that loses its lease proves nothing about the lock. */
const COMPETITOR_LEASE_MS = 20_000;

function worker(kind: string, what: 'contend' | 'hold', ...args: string[]): ChildProcess {
  const support = join(ROOT, 'test/support');
  const program = [join(support, 'run-typescript.cjs'), join(support, 'lock-worker.ts')];
  const child = spawn(process.execPath, [...program, kind, JSON.stringify(places), what, ...args], {
    stdio: ['ignore', 'pipe', 'inherit'],
    ...(what === 'contend' && { env: { ...process.env, TEST_LEASE_MS: String(COMPETITOR_LEASE_MS) } }),
  });
  workers.push(child);
  return child;
}

describe.each(LOCK_KINDS.filter(({ name }) => isHere(name)))('$name', (kind) => {
  let first: OpenLock;
  let second: OpenLock;
  beforeAll(() => {
    first = kind.open(places);
    second = kind.open(places);
  });
  afterAll(async () => {
    await first.close();
    await second.close();
  });

  test(`one holder at a time over ${kind.contended} contended acquisitions from ${PROCESSES} processes`, async () => {
    await redis.del(`${places.prefix}counter`, `${places.prefix}tokens`);
    const share = Math.ceil(kind.contended / PROCESSES);
    const ended = await Promise.all(
      Array.from({ length: PROCESSES }, () => once(worker(kind.name, 'contend', String(share)), 'exit')),
    );
    expect(ended.map(([code]) => code as number)).toEqual([0, 0, 0]);
    expect(Number(await redis.get(`${places.prefix}counter`))).toBe(share * PROCESSES);
    const tokens = (await redis.lrange(`${places.prefix}tokens`, 0, -1)).map(BigInt);
    expect(tokens.length).toBe(kind.tokens ? share * PROCESSES : 0);
    expect(tokens.every((token, index) => index === 0 || token > (tokens[index - 1] as bigint))).toBe(true);
  }, 120_000);

  test('a wait times out, and leaves nothing', async () => {
    const held = await first.lock.acquire('taken', { waitMs: 1000 });
    await expect(second.lock.acquire('taken', { waitMs: 80 })).rejects.toBeInstanceOf(LockTimeout);
    expect(await held.release()).toBe(true);
    const next = await second.lock.acquire('taken', { waitMs: 1000 });
    expect(await next.release()).toBe(true);
  });

  test('an aborted wait ends at once, and leaves nothing', async () => {
    const held = await first.lock.acquire('aborted', { waitMs: 1000 });
    for (const contender of [first, second]) {
      const caller = new AbortController();
      const waiting = contender.lock.acquire('aborted', { waitMs: 20_000, signal: caller.signal });
      setTimeout(() => {
        caller.abort(new Error('gone home'));
      }, 30);
      await expect(waiting).rejects.toThrow('gone home');
      await expect(
        contender.lock.acquire('aborted', { waitMs: 1000, signal: caller.signal }),
      ).rejects.toThrow('gone home');
    }
    expect(await held.release()).toBe(true);
    await eventually('nothing is left', async () => (await first.leftBehind()).length === 0);
  });

  test('only its owner can release it, and only once', async () => {
    const lease = await first.lock.acquire('owned', { waitMs: 1000 });
    expect(await lease.release()).toBe(true);
    const next = await second.lock.acquire('owned', { waitMs: 1000 });
    expect(await lease.release()).toBe(false);
    await expect(first.lock.acquire('owned', { waitMs: 50 })).rejects.toBeInstanceOf(LockTimeout);
    expect(await next.release()).toBe(true);
  });

  test('`using` and `await using` release it when the work fails', async () => {
    await expect(
      first.lock.using('failing', { waitMs: 1000 }, () => Promise.reject(new Error('no'))),
    ).rejects.toThrow('no');
    const scope = async () => {
      await using lease = await second.lock.acquire('failing', { waitMs: 1000 });
      expect(lease.remaining()).toBeGreaterThan(0);
      throw new Error('no again');
    };
    await expect(scope()).rejects.toThrow('no again');
    const free = await first.lock.acquire('failing', { waitMs: 1000 });
    expect(await free.release()).toBe(true);
  });

  if (kind.takesLease) {
    test('a lease that ends aborts its signal before another caller can acquire the lock', async () => {
      const lease = await first.lock.acquire('short', { waitMs: 1000, leaseMs: 300 });
      expect(lease.remaining()).toBeLessThanOrEqual(300);
      let lostAt = Infinity;
      lease.signal.addEventListener('abort', () => {
        lostAt = performance.now();
      });
      const next = await second.lock.acquire('short', { waitMs: 10_000 });
      expect(lostAt).toBeLessThan(performance.now());
      expect(lease.remaining()).toBe(0);
      expect(await lease.release()).toBe(false);
      expect(next.signal.aborted).toBe(false);
      expect(await next.release()).toBe(true);
    });
  }

  test('a holder that is killed frees it within one lease', async () => {
    const dying = worker(kind.name, 'hold');
    await once(dying.stdout as NonNullable<typeof dying.stdout>, 'data');
    await expect(first.lock.acquire('held by another process', { waitMs: 60 })).rejects.toBeInstanceOf(
      LockTimeout,
    );
    dying.kill('SIGKILL');
    const lease = await first.lock.acquire('held by another process', { waitMs: 20_000 });
    if (kind.leaseMs < Infinity) expect(lease.waitedMs).toBeLessThan(kind.leaseMs + 2000);
    expect(await lease.release()).toBe(true);
  });

  test(`${kind.cycles} cycles leave no key, timer or connection`, async () => {
    const before = process.getActiveResourcesInfo().length;
    for (let i = 0; i < kind.cycles; i += 1) {
      const lease = await first.lock.acquire('cycled', { waitMs: 1000 });
      await lease.release();
    }
    await eventually('nothing is left', async () => (await first.leftBehind()).length === 0);
    await eventually(
      'no timer or connection is left',
      () => process.getActiveResourcesInfo().length <= before + 2,
    );
  });
});
