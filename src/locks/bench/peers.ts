import { createRequire } from 'node:module';
import { join } from 'node:path';
import { type Redis } from 'ioredis';
import { type Contender } from './contenders.js';

/** The parts of packages that are used here. They are not dependencies: they are measured if they are installed. */
interface RedisSemaphore {
  Mutex: new (
    client: Redis,
    key: string,
    options: object,
  ) => { acquire(): Promise<void>; release(): Promise<void> };
}
interface NodeRedisson {
  Redisson: new (config: { redis: { options: object } }) => {
    getLock(name: string): { lock(): Promise<void>; unlock(): Promise<void> };
  };
}
interface Redlock5 {
  default: new (
    clients: readonly Redis[],
    settings: object,
  ) => { acquire(keys: string[], ttl: number): Promise<{ release(): Promise<unknown> }> };
}

const LEASE_MS = 10_000;

/** The packages that are installed in the folder: npm install --prefix <folder> redis-semaphore node-redisson … */
export function peersIn(folder: string, client: Redis): readonly Contender[] {
  const require = createRequire(join(folder, 'package.json'));
  const found: Contender[] = [];
  function add(name: string, measure: (loaded: unknown) => Contender['cycle']): void {
    try {
      const { version } = require(join(folder, 'node_modules', name, 'package.json')) as { version: string };
      const cycle = measure(require(name));
      found.push({ name: `${name} ${version}`, cycle, close: () => undefined });
    } catch {
      console.error(`${name}: not installed in ${folder}`);
    }
  }
  add('redis-semaphore', (loaded) => {
    const { Mutex } = loaded as RedisSemaphore;
    return async (key) => {
      const mutex = new Mutex(client, `redis-semaphore:${key}`, { lockTimeout: LEASE_MS });
      await mutex.acquire();
      await mutex.release();
    };
  });
  add('node-redisson', (loaded) => {
    const { Redisson } = loaded as NodeRedisson;
    const { host, port, username, password } = client.options;
    const redisson = new Redisson({ redis: { options: { host, port, username, password } } });
    return async (key) => {
      const lock = redisson.getLock(`node-redisson:${key}`);
      await lock.lock();
      await lock.unlock();
    };
  });
  add('redlock', (loaded) => {
    const { default: Redlock } = loaded as Redlock5;
    const redlock = new Redlock([client], { retryCount: 0 });
    return async (key) => {
      const lock = await redlock.acquire([`redlock5:${key}`], LEASE_MS);
      await lock.release();
    };
  });
  return found;
}
