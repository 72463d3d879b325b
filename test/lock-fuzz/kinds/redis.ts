import {
  FairRedisLock,
  type Lock,
  MultiLock,
  ReadWriteRedisLock,
  type RedisClient,
  RedisLock,
  ReentrantRedisLock,
} from '../../../src/locks/index.js';
import { type FuzzClient } from '../client/fuzz-client.js';
import { type Settings } from '../plan/plan.js';
import { type Features, type FuzzKind } from './kind.js';
import { openRedis } from './redis-client.js';

type Made = Omit<FuzzClient, 'name' | 'close'> & { close(): void };
type Options = Pick<Settings, 'watchdogMs' | 'heartbeatMs'> & { readonly prefix: string };

const WATCHDOGS_MS = [200, 300, 400];

/** A kind of lock on one Redis, Sentinel or Cluster. */
export function redisKind(
  name: string,
  make: (client: RedisClient, options: Options) => Made,
  features: Omit<Features, 'watchdogMs' | 'leases'> = {},
): FuzzKind {
  return {
    name,
    engine: 'redis',
    tokens: true,
    connectionIsLease: false,
    features: { watchdogMs: WATCHDOGS_MS, leases: true, brokenKey: true, ...features },
    open: async (places, settings) => {
      const client = await openRedis(places.redisUrl, places, settings);
      const { watchdogMs, heartbeatMs } = settings;
      const made = make(client, { prefix: places.prefix, watchdogMs, heartbeatMs });
      return {
        ...made,
        name: (key) => key,
        close: () => {
          made.close();
          client.disconnect();
          return Promise.resolve();
        },
      };
    },
  };
}

function exclusive(lock: Lock & { close(): void }): Made {
  return {
    lock: () => lock,
    multi: new MultiLock(lock),
    close: () => {
      lock.close();
    },
  };
}

export const REDIS_KINDS: readonly FuzzKind[] = [
  redisKind('redis', (client, options) => exclusive(new RedisLock(client, options))),
  redisKind('redis reentrant', (client, options) => exclusive(new ReentrantRedisLock(client, options)), {
    reentrant: true,
  }),
  redisKind('redis fair', (client, options) => exclusive(new FairRedisLock(client, options))),
  redisKind(
    'redis read-write',
    (client, options) => {
      const both = new ReadWriteRedisLock(client, options);
      return {
        lock: (role) => (role === 'writer' ? both.write : both.read),
        downgrade: (lease) => both.downgrade(lease),
        close: () => {
          both.close();
        },
      };
    },
    { readers: true },
  ),
  redisKind('multi redis', (client, options) => exclusive(new RedisLock(client, options)), { multi: true }),
  redisKind(
    'multi redis reentrant',
    (client, options) => exclusive(new ReentrantRedisLock(client, options)),
    { multi: true, reentrant: true },
  ),
];
