import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { type Redis } from 'ioredis';
import { type Contender, LEASE_MS, POLL_MS, type Release } from './contenders.js';

/** The parts of the packages that are used here. They are no dependencies: the benchmark installs them in a folder. */
interface RedisSemaphore {
  readonly Mutex: new (client: Redis, key: string, options: object) => SelfContained;
}
interface SelfContained {
  acquire(): Promise<unknown>;
  release(): Promise<unknown>;
}
interface NodeRedisson {
  readonly Redisson: new (config: object) => {
    getLock(name: string): { lock(): Promise<void>; unlock(): Promise<void> };
  };
}
interface Redlock4 {
  readonly default: new (
    nodes: readonly Redis[],
    options: object,
  ) => { lock(key: string, ttl: number): PromiseLike<{ unlock(): PromiseLike<unknown> }> };
}
interface Redlock5 {
  readonly default: new (
    nodes: readonly Redis[],
    settings: object,
  ) => { acquire(keys: string[], ttl: number): Promise<{ release(): Promise<unknown> }> };
}
interface SimpleRedisMutex {
  readonly lock: (client: unknown, key: string, options: object) => Promise<Release>;
}
interface NodeRedis {
  readonly createClient: (options: object) => { connect(): Promise<unknown> };
}
interface Verrou {
  readonly Verrou: new (config: object) => { createLock(name: string, ttl: number): SelfContained };
}
interface VerrouRedis {
  readonly redisStore: (options: { connection: Redis }) => object;
}
interface RedlockUniversal {
  readonly IoredisAdapter: new (client: Redis) => object;
  readonly createLock: (config: object) => {
    acquire(): Promise<unknown>;
    release(handle: unknown): Promise<unknown>;
  };
}

type Load = (module: string) => Promise<unknown>;
type Acquire = Contender['acquire'];

/** Many tries, because a benchmark has no use for a contender that gives up. */
const TRIES = 1_000_000;
const POLLING = { retryCount: TRIES, retryDelay: POLL_MS, retryJitter: 1 };

const PEERS: Readonly<Record<string, (load: Load, client: Redis) => Promise<Acquire>>> = {
  redlock4: async (load, client) => {
    const redlock = new ((await load('redlock4')) as Redlock4).default([client], POLLING);
    return async (key) => {
      const lock = await redlock.lock(`redlock4:${key}`, LEASE_MS);
      return async () => lock.unlock();
    };
  },
  redlock5: async (load, client) => {
    const redlock = new ((await load('redlock5')) as Redlock5).default([client], POLLING);
    return async (key) => {
      const lock = await redlock.acquire([`redlock5:${key}`], LEASE_MS);
      return () => lock.release();
    };
  },
  'redis-semaphore': async (load, client) => {
    const { Mutex } = (await load('redis-semaphore')) as RedisSemaphore;
    const options = { lockTimeout: LEASE_MS, acquireTimeout: 60_000, retryInterval: POLL_MS };
    return async (key) => {
      const mutex = new Mutex(client, `redis-semaphore:${key}`, options);
      await mutex.acquire();
      return () => mutex.release();
    };
  },
  'node-redisson': async (load, client) => {
    const { Redisson } = (await load('node-redisson')) as NodeRedisson;
    const { host, port, username, password } = client.options;
    const redisson = new Redisson({ redis: { options: { host, port, username, password } } });
    return async (key) => {
      const lock = redisson.getLock(`node-redisson:${key}`);
      await lock.lock();
      return () => lock.unlock();
    };
  },
  'simple-redis-mutex': async (load, client) => {
    const { lock } = (await load('simple-redis-mutex')) as SimpleRedisMutex;
    const { host, port, username, password } = client.options;
    const { createClient } = (await load('redis')) as NodeRedis;
    const redis = createClient({ username, password, socket: { host, port } });
    await redis.connect();
    return (key) => lock(redis, `simple-redis-mutex:${key}`, { timeout: LEASE_MS });
  },
  '@verrou/core': async (load, client) => {
    const { Verrou } = (await load('@verrou/core')) as Verrou;
    const { redisStore } = (await load('@verrou/core/drivers/redis')) as VerrouRedis;
    const store = { driver: redisStore({ connection: client }) };
    const verrou = new Verrou({ default: 'redis', stores: { redis: store } });
    return async (key) => {
      const lock = verrou.createLock(`verrou:${key}`, LEASE_MS);
      await (lock as unknown as { acquire(options: object): Promise<unknown> }).acquire({
        retry: { delay: POLL_MS },
      });
      return () => lock.release();
    };
  },
  'redlock-universal': async (load, client) => {
    const { createLock, IoredisAdapter } = (await load('redlock-universal')) as RedlockUniversal;
    const adapter = new IoredisAdapter(client);
    const options = {
      adapter,
      ttl: LEASE_MS,
      retryAttempts: TRIES,
      retryDelay: POLL_MS,
      performance: 'lean',
    };
    return async (key) => {
      const lock = createLock({ ...options, key: `redlock-universal:${key}` });
      const handle = await lock.acquire();
      return () => lock.release(handle);
    };
  },
};

export interface Peers {
  readonly contenders: readonly Contender[];
  /** Packages that cannot be measured, with the reason. */
  readonly missing: readonly string[];
}

/** The packages in the folder that can be loaded. */
export async function peersIn(folder: string, client: Redis): Promise<Peers> {
  if (folder === '') return { contenders: [], missing: [] };
  const { load } = (await import(pathToFileURL(join(folder, 'load.mjs')).href)) as { readonly load: Load };
  const contenders: Contender[] = [];
  const missing: string[] = [];
  for (const [name, prepare] of Object.entries(PEERS)) {
    try {
      const description = readFileSync(join(folder, 'node_modules', name, 'package.json'), 'utf8');
      const { name: full, version } = JSON.parse(description) as { name: string; version: string };
      const acquire = await prepare(load, client);
      contenders.push({ name: `peer: ${full} ${version.replace(/^v/, '')}`, acquire });
    } catch (error) {
      missing.push(`${name}: ${(error instanceof Error ? error.message.split('\n')[0] : '') ?? ''}`);
    }
  }
  return { contenders, missing };
}
