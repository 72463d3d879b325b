export interface AcquireOptions {
  /** How long to wait for the lock, in milliseconds. */
  readonly waitMs: number;
  /** Ends the wait early; an aborted wait leaves nothing behind. */
  readonly signal?: AbortSignal | undefined;
  /**
   * How long the lock is held at most. Absent means a watchdog where the engine has one: the lease is renewed
   * while its holder lives, and ends soon after the holder does.
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
  /** How long its holder waited for it. */
  readonly waitedMs: number;
  /** Tries it took; more than one means that the lock was found taken. */
  readonly attempts: number;
  /** Milliseconds left by the local monotonic clock; Infinity where nothing expires. */
  remaining(): number;
  /** True when it was held until now, false when it had expired already. Never throws because it had. */
  release(): Promise<boolean>;
}

/** One interface for every engine. */
export abstract class Lock {
  abstract acquire(key: string, options: AcquireOptions): Promise<Lease>;

  /** Holds the lock around `work` and gives it back whatever happens. */
  async using<T>(key: string, options: AcquireOptions, work: (lease: Lease) => Promise<T>): Promise<T> {
    const lease = await this.acquire(key, options);
    try {
      return await work(lease);
    } finally {
      await lease.release();
    }
  }
}
