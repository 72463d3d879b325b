/** What `GET /lab/system` shows. */
export interface SystemView {
  readonly version: string;
  readonly startedAt: string;
  readonly instances: readonly ProcessView[];
  readonly engines: readonly ProcessView[];
  readonly pools: readonly PoolView[];
  readonly locks: readonly HeldLock[];
  /** Orders that Redis has accepted and the ledger does not have yet; null when nobody can say. */
  readonly streamLag: number | null;
}

export interface ProcessView {
  readonly name: string;
  readonly pid: number | null;
  readonly state: 'up' | 'down' | 'starting';
  readonly restarts: number;
}

/** The database connections of an instance. */
export interface PoolView {
  readonly instance: string;
  readonly limit: number;
  readonly inUse: number;
  readonly waiting: number;
}

/** A lock that somebody holds at this moment. */
export interface HeldLock {
  /** The kind of lock, as in its key. */
  readonly kind: string;
  readonly key: string;
  readonly owner: string;
  /** The highest fencing token that the lock has granted so far, where it grants tokens. */
  readonly token: string | null;
  readonly ttlMs: number | null;
  /** Who waits for it: in a queue each waiter, else each process; null when nobody can say. */
  readonly waiters: number | null;
}
