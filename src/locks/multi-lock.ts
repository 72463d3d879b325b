import { LockLost, LockTimeout } from './errors.js';
import { type AcquireOptions, type Lease, type Lock } from './lock.js';

/** Several keys, held as one. */
export interface MultiLease extends Lease {
  /** The keys in the order in which they were taken, each with its own token. */
  readonly tokens: ReadonlyMap<string, bigint | undefined>;
}

/**
 * Takes several keys of another lock, all or none. Everybody takes them in the same order, whatever order they were
 * named in, so that two who want the same keys never wait for each other.
 */
export class MultiLock {
  constructor(private readonly lock: Lock) {}

  /** One time budget for all keys. A key that is named twice is taken once. */
  async acquireAll(keys: Iterable<string>, options: AcquireOptions): Promise<MultiLease> {
    const started = performance.now();
    const waited = () => performance.now() - started;
    const taken: Lease[] = [];
    try {
      // By code unit, not by locale: processes may differ in theirs.
      for (const key of [...new Set(keys)].sort()) {
        const budget = options.waitMs - waited();
        // Whoever gave a lease waits no longer than the first of its keys is held; a watchdog keeps them meanwhile.
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

  /** Holds all keys around `work` and gives them back whatever happens. */
  async usingAll<T>(
    keys: Iterable<string>,
    options: AcquireOptions,
    work: (lease: MultiLease) => Promise<T>,
  ): Promise<T> {
    const lease = await this.acquireAll(keys, options);
    try {
      return await work(lease);
    } finally {
      await lease.release();
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
    private readonly leases: readonly Lease[],
    readonly waitedMs: number,
  ) {
    this.key = leases.map(({ key }) => key).join(' + ');
    this.tokens = new Map(leases.map(({ key, token }) => [key, token]));
    this.attempts = Math.max(1, ...leases.map(({ attempts }) => attempts));
  }

  get signal(): AbortSignal {
    return (this.joined ??= AbortSignal.any(this.leases.map(({ signal }) => signal)));
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

/** Last taken, first given back. One that cannot be given back keeps none of the others from it. */
async function releaseAll(leases: readonly Lease[]): Promise<boolean> {
  const outcomes = await Promise.allSettled([...leases].reverse().map((lease) => lease.release()));
  return outcomes.every((outcome) => outcome.status === 'fulfilled' && outcome.value);
}

function shortest(leases: readonly Lease[]): number {
  return Math.min(...leases.map((lease) => lease.remaining()));
}
