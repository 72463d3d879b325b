import { type Attempt, type ExclusiveEngine, type Freed, type Listener } from '../exclusive/engine.js';
import { commandTimeoutOf, type RedisClient } from './connect.js';
import { type ReplicaCount, Replication } from './replicas.js';
import { Script } from './script.js';
import { Wakeups } from './wakeups.js';

export interface RedisLockOptions {
  /** Before every key, so that locks can share a Redis with other data. */
  readonly prefix?: string;
  /** The lease that the watchdog renews, for callers that give none. */
  readonly watchdogMs?: number;
  /** A grant counts only when this many replicas have it. A failover then loses fewer grants, but can still lose one. */
  readonly replicas?: ReplicaCount;
}

export const DEFAULT_PREFIX = 'lock:';
export const DEFAULT_WATCHDOG_MS = 30_000;

const ACQUIRE = new Script<number>(new URL('plain-acquire.lua', import.meta.url));
const RENEW = new Script<0 | 1>(new URL('plain-renew.lua', import.meta.url));
const RELEASE = new Script<number>(new URL('plain-release.lua', import.meta.url));

const attempted = (answer: number): Attempt =>
  answer > 0 ? { granted: true, token: BigInt(answer) } : { granted: false, retryMs: -answer };
const freed = (heard: number): Freed => ({ held: heard >= 0, heard });

/** The name of a lock in Redis. In a cluster, the text in the braces selects the slot, so it must not be empty. */
export function redisKey(prefix: string, key: string): string {
  return `${prefix}{${key.startsWith('}') ? `%7D${key.slice(1)}` : key}}`;
}

/** A Redis string per key: SET NX PX with an owner, released by compare-and-delete. */
export class RedisExclusiveEngine implements ExclusiveEngine {
  readonly commandTimeoutMs: number;
  private readonly prefix: string;
  private readonly wakeups: Wakeups;
  private readonly replication: Replication;

  constructor(
    private readonly client: RedisClient,
    { prefix = DEFAULT_PREFIX, replicas = 0 }: RedisLockOptions,
  ) {
    this.prefix = prefix;
    this.wakeups = new Wakeups(client);
    this.replication = new Replication(client, replicas);
    this.commandTimeoutMs = commandTimeoutOf(client) + this.replication.timeoutMs;
  }

  attempt(key: string, owner: string, leaseMs: number, tokens: number): Promise<Attempt> {
    const lock = redisKey(this.prefix, key);
    const keys = [lock, `${lock}:fence`] as const;
    const args = tokens > 1 ? [owner, leaseMs, tokens] : [owner, leaseMs];
    return this.replication.count === 0
      ? ACQUIRE.ask(this.client, keys, args, attempted)
      : this.replication.run(ACQUIRE, keys, args, (answer) => answer > 0).then(attempted);
  }

  async renew(key: string, owner: string, leaseMs: number): Promise<boolean> {
    return (await RENEW.run(this.client, [redisKey(this.prefix, key)], [owner, leaseMs])) === 1;
  }

  free(key: string, owner: string): Promise<Freed> {
    const lock = redisKey(this.prefix, key);
    return RELEASE.ask(this.client, [lock, `${lock}:released`], [owner, this.channel(key)], freed);
  }

  listen(key: string): Listener {
    return this.wakeups.listen(this.channel(key));
  }

  isListening(key: string): boolean {
    return this.wakeups.isListening(this.channel(key));
  }

  close(): void {
    this.wakeups.close();
  }

  /** The client may add a prefix to keys, but never to channels, so the script cannot derive the channel from the key. */
  private channel(key: string): string {
    return `${redisKey(this.prefix, key)}:free`;
  }
}
