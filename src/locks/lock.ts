import { LockLost } from './errors.js';

export interface AcquireOptions {
  /** How long to wait for the lock, in milliseconds. */
  readonly waitMs: number;
  /** Ends the wait early; an aborted wait leaves nothing behind. */
  readonly signal?: AbortSignal | undefined;
  /**
   * How long the lock is held at most, in whole milliseconds. Absent means a watchdog where the engine has one: the
   * lease is renewed while its holder lives, and expires soon after the holder has died.
   */
  readonly leaseMs?: number | undefined;
}

/** A lock that is held. */
export interface Lease extends AsyncDisposable {
  readonly key: string;
  /** Rises with every grant; undefined where the engine cannot mint one. A store that compares it stops late writers. */
  readonly token: bigint | undefined;
  /** Aborted the moment ownership can no longer be proven. */
  readonly signal: AbortSignal;
  /** How long the holder waited for the lock. */
  readonly waitedMs: number;
  /** Tries that the grant took; more than one means that another holder had the lock. */
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
   * Holds the lock around `work` and releases it whatever happens. An error of `work` is rethrown as it is.
   *
   * @throws LockLost when `work` succeeded but its lease was lost before it ended
   */
  async using<T>(key: string, options: AcquireOptions, work: (lease: Lease) => Promise<T>): Promise<T> {
    const lease = await this.acquire(key, options);
    return whileHeld(lease, () => this.asHolder(lease, () => work(lease)));
  }

  /** Runs `work` in the name of the lease's holder. A reentrant lock lets everything that `work` calls enter again. */
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
