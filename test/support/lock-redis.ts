import { type ChildProcess, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { ROOT } from '../../src/lab/paths.js';
import { type QueueOptions, type RedisClient } from '../../src/locks/index.js';
import { eventually } from './eventually.js';
import { leftovers } from './leftovers.js';
import { type Job } from './lock-process.js';
import { servers } from './test-shop.js';

/** Never gets a message: its subscriber connects to a port without a server. */
class DeafRedis extends Redis {
  override duplicate(): Redis {
    return new Redis(1, '127.0.0.1', { retryStrategy: () => 100, maxRetriesPerRequest: null });
  }
}

/**
 * The shared Redis as a lock's test sees it: names of its own, clients of the service's account (so a key or channel
 * outside its names fails the test), and a look inside with the lab's.
 */
export class LockRedis {
  readonly lab = new Redis(servers.redisLabUrl);
  private names = newPrefix();
  private readonly locks: { close(): void }[] = [];
  private readonly clients: Redis[] = [];
  private readonly children: ChildProcess[] = [];

  /** For all tests of a file: each begins with other names, and what it has opened is closed after it. */
  static ofEachTest(): LockRedis {
    const redis = new LockRedis();
    afterEach(() => {
      redis.tidy();
      redis.names = newPrefix();
    });
    afterAll(() => {
      redis.close();
    });
    return redis;
  }

  get prefix(): string {
    return this.names;
  }

  /** As another process would have it: a lock object and a connection of its own. */
  lock<Kind extends { close(): void }>(
    Kind: new (client: RedisClient, options: QueueOptions) => Kind,
    options: QueueOptions = {},
    client = this.client(),
  ): Kind {
    const lock = new Kind(client, { prefix: this.prefix, watchdogMs: 5000, ...options });
    this.locks.push(lock);
    return lock;
  }

  /** A connection of its own, as another process would have. */
  client(): Redis {
    return this.keep(new Redis(servers.redisUrl));
  }

  /** May listen to everything. */
  labClient(): Redis {
    return this.keep(this.lab.duplicate());
  }

  deafClient(): Redis {
    return this.keep(new DeafRedis(servers.redisUrl));
  }

  /** The number of waiters in the queue of a key. */
  waiting(key: string): Promise<number> {
    return this.lab.zcard(`${this.prefix}{${key}}:heartbeats`);
  }

  async untilWaiting(key: string, count: number): Promise<void> {
    await eventually(`${count} wait for ${key}`, async () => (await this.waiting(key)) === count);
  }

  /** Keys that should not be there. */
  leftovers(): Promise<string[]> {
    return leftovers(this.lab, this.prefix);
  }

  async channels(): Promise<string[]> {
    return (await this.lab.pubsub('CHANNELS', `${this.prefix}*`)) as string[];
  }

  /** A real process of its own. */
  spawn(act: Job['act'], kind: Job['kind'], key: string, options: QueueOptions = {}): ChildProcess {
    const job: Job = { act, kind, key, url: servers.redisUrl, options: { prefix: this.prefix, ...options } };
    const support = join(ROOT, 'test/support');
    const program = [join(support, 'run-typescript.cjs'), join(support, 'lock-process.ts')];
    const child = spawn(process.execPath, [...program, JSON.stringify(job)], { stdio: 'inherit' });
    this.children.push(child);
    return child;
  }

  /** What three processes have counted, each fifty, with the lock around every addition. */
  async countedByThree(kind: Job['kind']): Promise<number> {
    await Promise.all([1, 2, 3].map(() => once(this.spawn('count', kind, 'count'), 'exit')));
    return Number(await this.lab.get(`${this.prefix}count`));
  }

  close(): void {
    this.tidy();
    this.lab.disconnect();
  }

  private tidy(): void {
    for (const lock of this.locks.splice(0)) lock.close();
    for (const child of this.children.splice(0)) child.kill('SIGKILL');
    for (const client of this.clients.splice(0)) client.disconnect();
  }

  /** Closed after the test. */
  keep(client: Redis): Redis {
    client.on('error', () => undefined);
    this.clients.push(client);
    return client;
  }
}

function newPrefix(): string {
  return `lockstock:test:${randomUUID()}:`;
}
