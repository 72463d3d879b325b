import { LockLost } from './errors.js';

export interface AcquireOptions {
  /** How long to wait for the lock, in milliseconds. */
  readonly waitMs: number;
  /** Ends the wait early; an aborted wait leaves nothing behind. */
  readonly signal?: AbortSignal | undefined;
  /**
   * The length of the lease, in whole milliseconds. When it is absent, a watchdog renews the lease (where the engine has
   * one) while the process of the holder runs; after a crash the lease expires.
   */
  readonly leaseMs?: number | undefined;
}

/** A lock that is held. */
export interface Lease extends AsyncDisposable {
  readonly key: string;
  /** Increases with every grant; undefined where the engine has no tokens. A store that compares it stops late writers. */
  readonly token: bigint | undefined;
  /** Aborted as soon as ownership can no longer be proven. */
  readonly signal: AbortSignal;
  /** How long the holder waited for the lock. */
  readonly waitedMs: number;
  /** Attempts until the grant; more than one means that another holder had the lock. */
  readonly attempts: number;
  /** Milliseconds left by the local monotonic clock; Infinity where nothing expires. */
  remaining(): number;
  /**
   * True when the lock was held until now; false when the lease had expired, or when the engine did not answer. Never
   * throws: a failed release does not undo the work that the lock protected.
   */
  release(): Promise<boolean>;
}

/** One interface for every engine. */
export abstract class Lock {
  abstract acquire(key: string, options: AcquireOptions): Promise<Lease>;

  /**
   * Runs `work` while holding the lock, and releases the lock in any case. An error of `work` is rethrown as it is.
   *
   * @throws LockLost when `work` succeeded but its lease was lost before it ended
   */
  async using<T>(key: string, options: AcquireOptions, work: (lease: Lease) => Promise<T>): Promise<T> {
    const lease = await this.acquire(key, options);
    return whileHeld(lease, () => this.asHolder(lease, () => work(lease)));
  }

  /** Runs `work` as the holder of the lease: everything that `work` calls may enter a reentrant lock again. */
  asHolder<T>(lease: Lease, work: () => Promise<T>): Promise<T> {
    return work();
  }
}

/** Runs `work`, releases the lease, and rejects with `LockLost` when the lease was lost before `work` had succeeded. */
export async function whileHeld<T>(lease: Lease, work: () => Promise<T>): Promise<T> {
  try {
    const result = await work();
    if (lease.signal.aborted) throw new LockLost();
    return result;
  } finally {
    await lease.release();
  }
}
