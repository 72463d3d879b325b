/** The answer to `GET /lab/system`. */
export interface SystemView {
  readonly version: string;
  readonly startedAt: string;
  readonly instances: readonly ProcessView[];
  readonly engines: readonly ProcessView[];
  readonly pools: readonly PoolView[];
  readonly locks: readonly HeldLock[];
  /** Orders that Redis has accepted and the ledger does not have yet; null when it is unknown. */
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

/** A lock that is held at this moment. */
export interface HeldLock {
  /** The kind of lock, as in its key. */
  readonly kind: string;
  readonly key: string;
  readonly owner: string;
  /** The highest fencing token that the lock has granted so far, where it grants tokens. */
  readonly token: string | null;
  readonly ttlMs: number | null;
  /** In a queue the number of waiters, else the number of waiting processes; null when it is unknown. */
  readonly waiters: number | null;
}

/** The events of `GET /lab/system/stream`, by name. */
export interface SystemEvents {
  readonly system: SystemView;
}
