export interface AcquireOptions {
  /** How long to wait for the lock, in milliseconds. */
  readonly waitMs: number;
  /** Ends the wait early; an aborted wait leaves nothing behind. */
  readonly signal?: AbortSignal;
}

/** A lock that is held. */
export interface Lease {
  /** How long its holder waited for it. */
  readonly waitedMs: number;
  /** Tries it took; more than one means that the lock was found taken. */
  readonly attempts: number;
  /** Aborted the moment ownership can no longer be proven. */
  readonly signal: AbortSignal;
  /** Answers whether the lock was still held. Never throws because it had expired. */
  release(): Promise<boolean>;
}

export interface Lock {
  acquire(key: string, options: AcquireOptions): Promise<Lease>;
}

/** Holds the lock around `work` and gives it back whatever happens. */
export async function using<T>(
  lock: Lock,
  key: string,
  options: AcquireOptions,
  work: (lease: Lease) => Promise<T>,
): Promise<T> {
  const lease = await lock.acquire(key, options);
  try {
    return await work(lease);
  } finally {
    await lease.release();
  }
}
