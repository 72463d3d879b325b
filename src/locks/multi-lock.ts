import { LockLost, LockTimeout } from './errors.js';
import { type AcquireOptions, type Lease, type Lock, whileHeld } from './lock.js';

/** A lease of several keys. */
export interface MultiLease extends Lease {
  /** The keys in the order in which they were acquired, each with its own token. */
  readonly tokens: ReadonlyMap<string, bigint | undefined>;
}

/**
 * Acquires several keys of another lock, all or none. Every caller acquires them in the same order, whatever order they
 * were named in, so that two callers never wait for each other.
 */
export class MultiLock {
  constructor(private readonly lock: Lock) {}

  /** One time budget for all keys. A key that is named twice is acquired once. */
  acquireAll(keys: Iterable<string>, options: AcquireOptions): Promise<MultiLease> {
    return this.join(keys, options);
  }

  /** Runs `work` while holding all keys, and releases them in any case. @throws LockLost as `Lock.using` does */
  async usingAll<T>(
    keys: Iterable<string>,
    options: AcquireOptions,
    work: (lease: MultiLease) => Promise<T>,
  ): Promise<T> {
    const lease = await this.join(keys, options);
    // `work` runs as the holder of every key, so that it may enter a reentrant lock again.
    const asHolder = lease.leases.reduce<() => Promise<T>>(
      (inner, each) => () => this.lock.asHolder(each, inner),
      () => work(lease),
    );
    return whileHeld(lease, asHolder);
  }

  private async join(keys: Iterable<string>, options: AcquireOptions): Promise<JoinedLease> {
    const started = performance.now();
    const waited = () => performance.now() - started;
    const taken: Lease[] = [];
    try {
      // By code unit, not by locale, which may differ between processes.
      for (const key of [...new Set(keys)].sort()) {
        const budget = options.waitMs - waited();
        // Without a watchdog, waiting for a key is useless after the first key has expired.
        const held = options.leaseMs === undefined ? Infinity : shortest(taken);
        const waitMs = Math.max(0, Math.min(budget, held));
        taken.push(await this.lock.acquire(key, { ...options, waitMs }));
      }
      if (shortest(taken) <= 0) throw new LockLost();
      return new JoinedLease(taken, waited());
    } catch (error) {
      await releaseAll(taken);
      throw error instanceof LockTimeout ? new LockTimeout(waited()) : error;
    }
  }
}

class JoinedLease implements MultiLease {
  readonly key: string;
  /** There is no one token: each key has its own in `tokens`. */
  readonly token = undefined;
  readonly tokens: ReadonlyMap<string, bigint | undefined>;
  readonly attempts: number;
  private joined: AbortSignal | undefined;

  constructor(
    readonly leases: readonly Lease[],
    readonly waitedMs: number,
  ) {
    this.key = leases.map(({ key }) => key).join(' + ');
    this.tokens = new Map(leases.map(({ key, token }) => [key, token]));
    this.attempts = Math.max(1, ...leases.map(({ attempts }) => attempts));
  }

  get signal(): AbortSignal {
    // Not cached: reading the signal makes a lease check its deadline, because no timer fires in a blocked process.
    const signals = this.leases.map(({ signal }) => signal);
    return (this.joined ??= AbortSignal.any(signals));
  }

  remaining(): number {
    return shortest(this.leases);
  }

  release(): Promise<boolean> {
    return releaseAll(this.leases);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.release();
  }
}

/** In the opposite order of acquisition. A release that fails does not keep the others from being released. */
async function releaseAll(leases: readonly Lease[]): Promise<boolean> {
  const outcomes = await Promise.allSettled([...leases].reverse().map((lease) => lease.release()));
  return outcomes.every((outcome) => outcome.status === 'fulfilled' && outcome.value);
}

function shortest(leases: readonly Lease[]): number {
  return Math.min(...leases.map((lease) => lease.remaining()));
}
