import { Redis } from 'ioredis';
import {
  EtcdLock,
  FairRedisLock,
  LocalLock,
  MysqlNamedLock,
  MysqlRowLock,
  QuorumRedisLock,
  ReadWriteRedisLock,
  RedisLock,
  RedlockAdapter,
  ReentrantRedisLock,
  ZookeeperLock,
} from '../../src/locks/index.js';

/** Never connected: a bad argument must not reach the server. */
const client = () => new Redis(1, '127.0.0.1', { lazyConnect: true });
const never = () => Promise.reject(new Error('the engine was asked'));
const nodes = [client(), client(), client()];

const LOCKS = [
  new LocalLock(),
  new RedisLock(client()),
  new ReentrantRedisLock(client()),
  new FairRedisLock(client()),
  new ReadWriteRedisLock(client()).read,
  new ReadWriteRedisLock(client()).write,
  new QuorumRedisLock(nodes),
  new RedlockAdapter(nodes),
  new MysqlRowLock(never, { leaseMs: 1000 }),
  new MysqlNamedLock(never),
  new EtcdLock('http://127.0.0.1:1'),
  new ZookeeperLock('zookeeper://127.0.0.1:1'),
];

const BAD_OPTIONS: readonly unknown[] = [
  undefined,
  null,
  {},
  { waitMs: NaN },
  { waitMs: Infinity },
  { waitMs: -1 },
  { waitMs: '100' },
  ...[0, -1, 10.5, NaN, Infinity, 2 ** 31, 30 * 24 * 3600 * 1000, '100', null].map((leaseMs) => ({
    waitMs: 0,
    leaseMs,
  })),
  { waitMs: 0, signal: {} },
];

test.each(LOCKS.map((lock) => [lock.constructor.name, lock] as const))(
  '%s refuses bad arguments with an error that names them',
  async (_, lock) => {
    for (const options of BAD_OPTIONS) {
      await expect(lock.acquire('key', options as { waitMs: number })).rejects.toThrow(
        /^(options|waitMs|leaseMs|signal) must be /,
      );
    }
    for (const key of ['', undefined, null, 7, {}]) {
      await expect(lock.acquire(key as string, { waitMs: 0 })).rejects.toThrow(
        /^key must be a non-empty string/,
      );
    }
  },
);

test('keys that MySQL would change or cut are refused', async () => {
  const row = new MysqlRowLock(never, { leaseMs: 1000 });
  for (const key of ['x'.repeat(65), 'ä', 'trailing ', 'line\nbreak']) {
    await expect(row.acquire(key, { waitMs: 0 })).rejects.toThrow(/^key must have/);
  }
  await expect(new MysqlNamedLock(never).acquire('x'.repeat(60), { waitMs: 0 })).rejects.toThrow(
    /^key must have/,
  );
});

test.each([0, -5, 1.5, NaN, Infinity])('a watchdog of %p ms is refused', (watchdogMs) => {
  const bad = /^(watchdogMs|leaseMs|heartbeatMs|nodeTimeoutMs) must be a whole number/;
  expect(() => new RedisLock(client(), { watchdogMs })).toThrow(bad);
  expect(() => new ReentrantRedisLock(client(), { watchdogMs })).toThrow(bad);
  expect(() => new FairRedisLock(client(), { watchdogMs })).toThrow(bad);
  expect(() => new ReadWriteRedisLock(client(), { heartbeatMs: watchdogMs })).toThrow(bad);
  expect(() => new QuorumRedisLock(nodes, { nodeTimeoutMs: watchdogMs })).toThrow(bad);
  expect(() => new RedlockAdapter(nodes, { watchdogMs })).toThrow(bad);
  expect(() => new MysqlRowLock(never, { leaseMs: watchdogMs })).toThrow(bad);
  expect(() => new EtcdLock('http://127.0.0.1:1', { watchdogMs })).toThrow(bad);
  expect(() => new RedisLock(client(), { replicas: watchdogMs === 0 ? -1 : watchdogMs })).toThrow(
    /^replicas must be/,
  );
});
