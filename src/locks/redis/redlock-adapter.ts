import { setMaxListeners } from 'node:events';
import type Redlock from 'redlock';
import { checkAcquire, checkDurations } from '../arguments.js';
import { bounded } from '../bounded.js';
import { LockLost, LockTimeout } from '../errors.js';
import { HeldLease } from '../held-lease.js';
import { type AcquireOptions, type Lease, Lock } from '../lock.js';
import { persist } from '../persist.js';
import { Renewals } from '../renewals.js';
import { sleep } from '../sleep.js';
import { commandTimeoutOf, type RedisClient } from './connect.js';
import { Watched } from './drift.js';
import { DEFAULT_PREFIX, DEFAULT_WATCHDOG_MS } from './exclusive-engine.js';

export interface RedlockAdapterOptions {
  /** Before every key, so that locks can share a Redis with other data. */
  readonly prefix?: string;
  /** The lease that the watchdog extends, for callers that give none. */
  readonly watchdogMs?: number;
}

/** The part of the package that is used here; its published types do not know ioredis 6. */
interface Package {
  lock(resource: string, ttl: number): PromiseLike<Redlock.Lock>;
}
type PackageClass = new (nodes: readonly RedisClient[], options: Redlock.Options) => Package;

const RETRY_DELAY_MS = 50;
const RETRY_JITTER_MS = 25;

/**
 * The npm package `redlock` 4.2.0 behind the interface of the other locks. What it cannot do:
 *
 * - It polls, every 50 ms here, and has no order: with many waiters some wait for very long.
 * - It waits for the answer of every node. The connections need a `commandTimeout`, or one node that hangs stops
 *   every `acquire` and every `release`.
 * - An attempt that fails because nodes cannot be reached is released once, immediately. Nodes that granted it and do not
 *   get the release keep it until the lease ends. The release cannot be repeated, because the package does not expose the
 *   owner's name.
 * - An extension that finds no majority releases the lock on all nodes, so the lease counts as lost immediately.
 * - It measures validity by the wall clock, and it accepts one or two nodes, where a majority means nothing.
 * - No fencing token, for the reason that `QuorumRedisLock` gives.
 */
export class RedlockAdapter extends Lock {
  private readonly prefix: string;
  private readonly watchdogMs: number;
  private readonly commandTimeoutMs: number;
  private readonly redlock: Promise<Package>;
  private readonly renewals: Renewals<Watched<Redlock.Lock>>;
  private readonly closing = new AbortController();

  constructor(nodes: readonly RedisClient[], options: RedlockAdapterOptions = {}) {
    super();
    const { prefix = DEFAULT_PREFIX, watchdogMs = DEFAULT_WATCHDOG_MS } = options;
    checkDurations({ watchdogMs });
    // One listener for each release that is being repeated.
    setMaxListeners(0, this.closing.signal);
    this.prefix = prefix;
    this.watchdogMs = watchdogMs;
    this.commandTimeoutMs = Math.max(...nodes.map(commandTimeoutOf));
    this.redlock = loadRedlock(nodes);
    this.renewals = new Renewals(watchdogMs, ({ held }) => succeeds(held.extend(watchdogMs)));
  }

  async acquire(key: string, options: AcquireOptions): Promise<Lease> {
    checkAcquire(key, options);
    const started = performance.now();
    const held = await this.lock(key, options);
    // The package gives the end of the lease by the wall clock; the lease uses the monotonic clock.
    const now = performance.now();
    const deadline = now + held.expiration - Date.now();
    const leaseMs = options.leaseMs ?? this.watchdogMs;
    const facts = { key, attempts: held.attempts, waitedMs: now - started, deadline };
    const lease: HeldLease = new HeldLease(
      facts,
      () => {
        this.renewals.remove(watched);
        return this.unlock(held, leaseMs);
      },
      () => {
        this.renewals.remove(watched);
      },
    );
    const watched = new Watched(held, lease, this.watchdogMs);
    if (options.leaseMs === undefined) this.renewals.add(watched);
    return lease;
  }

  /** Stops the watchdog and repeats no release: leases that are still held expire. The connections are the caller's. */
  close(): void {
    this.closing.abort();
    this.renewals.close();
  }

  /** One attempt per call: the package can limit its attempts, but cannot stop after a time or when the caller aborts. */
  private async lock(key: string, options: AcquireOptions): Promise<Redlock.Lock> {
    const { waitMs, signal, leaseMs = this.watchdogMs } = options;
    const started = performance.now();
    for (let attempts = 1; ; attempts += 1) {
      signal?.throwIfAborted();
      const answerBy = Math.max(started + waitMs, performance.now()) + this.commandTimeoutMs;
      const held = await this.tryOnce(key, leaseMs, answerBy, signal);
      if (!(held instanceof Error)) return Object.assign(held, { attempts });
      signal?.throwIfAborted();
      const left = waitMs - (performance.now() - started);
      if (left <= 0) throw Object.assign(new LockTimeout(waitMs - left), { cause: held });
      const pause = RETRY_DELAY_MS + Math.random() * RETRY_JITTER_MS;
      await sleep(Math.min(left, pause), signal);
    }
  }

  /** A grant that comes too late for its caller is released. */
  private async tryOnce(
    key: string,
    leaseMs: number,
    answerBy: number,
    signal: AbortSignal | undefined,
  ): Promise<Redlock.Lock | Error> {
    const locking = this.redlock.then((redlock) => redlock.lock(this.prefix + key, leaseMs));
    try {
      const held = await bounded(locking, answerBy, signal);
      signal?.throwIfAborted();
      if (held.expiration <= Date.now()) throw new LockLost();
      return held;
    } catch (error) {
      void locking.then(
        (held) => this.unlock(held, leaseMs),
        () => undefined,
      );
      return error as Error;
    }
  }

  /** False when fewer than a majority had the lock, or answered: then it is repeated until the lease would have ended. */
  private async unlock(held: Redlock.Lock, leaseMs: number): Promise<boolean> {
    const { expiration } = held;
    const unlock = () => Promise.resolve(held.unlock());
    const unlocked = await succeeds(bounded(unlock(), performance.now() + this.commandTimeoutMs));
    if (!unlocked && expiration > Date.now()) {
      void persist(unlock, leaseMs, this.commandTimeoutMs, this.closing.signal);
    }
    return unlocked;
  }
}

/** The package rejects instead of returning false. */
async function succeeds(outcome: PromiseLike<unknown>): Promise<boolean> {
  try {
    await outcome;
    return true;
  } catch {
    return false;
  }
}

/** Loaded on first use: users of other locks should not pay for it. */
async function loadRedlock(nodes: readonly RedisClient[]): Promise<Package> {
  const { default: RedlockPackage } = await import('redlock');
  // No retries of its own: an extension that failed has released the lock, so it cannot succeed later.
  return new (RedlockPackage as unknown as PackageClass)(nodes, { retryCount: 0 });
}
