import { setTimeout as sleep } from 'node:timers/promises';
import Redlock from 'redlock';
import { LockTimeout } from '../errors.js';
import { HeldLease } from '../held-lease.js';
import { type AcquireOptions, type Lease, Lock } from '../lock.js';
import { type RedisClient } from './connect.js';
import { Watched } from './drift.js';
import { Renewals } from './renewals.js';

export interface RedlockAdapterOptions {
  /** Before every key, so that locks can share a Redis with other data. */
  readonly prefix?: string;
  /** The lease that is kept extended, for callers who give none. */
  readonly watchdogMs?: number;
}

/** The part of the package that is used here; its published types do not know ioredis 6. */
interface Package {
  lock(resource: string, ttl: number): PromiseLike<Redlock.Lock>;
}
const RedlockPackage = Redlock as unknown as new (
  nodes: readonly RedisClient[],
  options: Redlock.Options,
) => Package;

const RETRY_DELAY_MS = 50;
const RETRY_JITTER_MS = 25;

/**
 * The npm package `redlock` 4.2.0 behind the interface of the other locks. What it cannot do:
 *
 * - It polls, every 50 ms here, and knows no order: with many waiters some wait for very long.
 * - It waits for the answer of every node. The connections need a `commandTimeout`, or one node that hangs stops
 *   every `acquire` and every `release`. A wait that times out or is aborted ends when the try under way has ended.
 * - An extension that finds no majority gives the lock away, on all nodes and at once, so here it is a loss at once.
 * - Its validity is measured by the wall clock, and it takes one node or two where a majority means nothing.
 * - No fencing token, for the reason that `QuorumRedisLock` gives.
 */
export class RedlockAdapter extends Lock {
  private readonly prefix: string;
  private readonly watchdogMs: number;
  private readonly redlock: Package;
  private readonly renewals: Renewals<Watched<Redlock.Lock>>;

  constructor(nodes: readonly RedisClient[], options: RedlockAdapterOptions = {}) {
    super();
    this.prefix = options.prefix ?? 'lock:';
    this.watchdogMs = options.watchdogMs ?? 30_000;
    // No retries of its own: an extension that failed has given the lock away, so it cannot succeed later.
    this.redlock = new RedlockPackage(nodes, { retryCount: 0 });
    this.renewals = new Renewals(this.watchdogMs, ({ held }) => succeeds(held.extend(this.watchdogMs)));
  }

  async acquire(key: string, options: AcquireOptions): Promise<Lease> {
    const started = performance.now();
    const held = await this.lock(key, options);
    // The package says by the wall clock until when; the lease goes on by the monotonic one.
    const deadline = performance.now() + held.expiration - Date.now();
    const facts = { key, attempts: held.attempts, waitedMs: performance.now() - started, deadline };
    const lease = new HeldLease(facts, () => {
      this.renewals.remove(watched);
      return succeeds(held.unlock());
    });
    const watched = new Watched(held, lease, this.watchdogMs);
    if (options.leaseMs === undefined) this.renewals.add(watched);
    return lease;
  }

  /** One try at a time: the package can count its tries, but not stop after a time or when it is told to. */
  private async lock(key: string, { waitMs, signal, leaseMs }: AcquireOptions): Promise<Redlock.Lock> {
    const started = performance.now();
    for (let attempts = 1; ; attempts += 1) {
      signal?.throwIfAborted();
      const held = await this.tryOnce(key, leaseMs ?? this.watchdogMs);
      if (!(held instanceof Error)) {
        if (!signal?.aborted) return Object.assign(held, { attempts });
        await succeeds(held.unlock());
      }
      signal?.throwIfAborted();
      const left = waitMs - (performance.now() - started);
      if (left <= 0) throw Object.assign(new LockTimeout(waitMs - left), { cause: held });
      const pause = RETRY_DELAY_MS + Math.random() * RETRY_JITTER_MS;
      await sleep(Math.min(left, pause), undefined, { signal }).catch(() => undefined);
    }
  }

  private async tryOnce(key: string, leaseMs: number): Promise<Redlock.Lock | Error> {
    try {
      return await this.redlock.lock(this.prefix + key, leaseMs);
    } catch (error) {
      return error as Error;
    }
  }
}

/** The package rejects where others answer no. */
async function succeeds(outcome: PromiseLike<unknown>): Promise<boolean> {
  try {
    await outcome;
    return true;
  } catch {
    return false;
  }
}
