import { type Renewable } from '../renewals.js';

/** The place directly ahead in the queue. */
export interface Ahead {
  /** Calls `wake` when that place is gone, or when this is no longer known. Returns a function that stops watching. */
  watch(wake: () => void): () => void;
}

/** A place in the queue of a key. */
export interface Standing {
  /** Increases with every new place. */
  readonly token: bigint;
  /** Undefined: the place is the first one, so its owner holds the lock. */
  readonly ahead: Ahead | undefined;
}

interface Leftover {
  readonly key: string;
  /** A place whose creation was never answered may still be created. Until this time its removal is repeated. */
  readonly until: number;
}

/**
 * This client as a coordination service knows it: an etcd lease, a ZooKeeper session. The service keeps the places of the
 * client while the client renews the session, and removes all of them after `timeoutMs` without a renewal.
 */
export abstract class Session {
  abstract readonly timeoutMs: number;
  /** Leases that last as long as the session is proven. */
  readonly leases = new Set<Renewable>();
  private provenUntil = -Infinity;
  private ended = false;
  private readonly leftovers = new Map<string, Leftover>();
  private readonly interrupted = new Set<() => void>();

  /** `doubt` schedules a renewal soon. */
  constructor(protected readonly doubt: () => void) {}

  /** Joins the queue of a key under a unique name. Idempotent: the same name gets the same place. */
  abstract enter(key: string, name: string): Promise<Standing>;
  /** Where the place is now; `LockLost` when it is gone. */
  abstract look(key: string, name: string, token: bigint): Promise<Standing>;
  /** Ends the session in the service, if the service can be reached. */
  abstract close(): Promise<void>;
  /** Resolves when every message that the service has sent so far was handled. */
  abstract caughtUp(): Promise<void>;
  /** False when the service says that the session is over; throws when it does not answer. */
  protected abstract renew(): Promise<boolean>;
  /** True when the place existed until now. */
  protected abstract remove(key: string, name: string): Promise<boolean>;

  /** By performance.now(): until then no other client can hold the locks of this session. */
  get deadline(): number {
    return this.provenUntil;
  }

  get over(): boolean {
    return this.ended;
  }

  /** Renews the session, and removes the places that could not be removed before. */
  async prove(): Promise<boolean> {
    // Read before the question is sent: a clock read after the answer would promise too much.
    const asked = performance.now();
    if (!(await this.renew())) {
      this.finish();
      return false;
    }
    this.provenUntil = asked + this.timeoutMs;
    for (const lease of this.leases) lease.extend(this.provenUntil);
    await this.tidy();
    return true;
  }

  /** Removes a place. When the service does not answer, the place is removed as soon as it does. */
  async leave(key: string, name: string, answered: boolean): Promise<boolean> {
    if (this.ended) return false;
    const leftover = { key, until: answered ? 0 : performance.now() + this.timeoutMs };
    try {
      const removed = await this.remove(key, name);
      if (!answered) this.leftovers.set(name, leftover);
      return removed;
    } catch {
      // Otherwise the place would block the queue until the session ends.
      this.leftovers.set(name, leftover);
      this.doubt();
      return false;
    }
  }

  /** Calls `wake` when the session is no longer proven. Returns a function that stops listening. */
  onInterruption(wake: () => void): () => void {
    this.interrupted.add(wake);
    return () => this.interrupted.delete(wake);
  }

  /** The session is no longer proven, so its leases are lost, although the service may still have them. */
  protected suspend(): void {
    for (const lease of this.leases) lease.lose();
    this.leases.clear();
    for (const wake of this.interrupted) wake();
  }

  /** The service has removed all places of the session. */
  protected finish(): void {
    this.ended = true;
    this.suspend();
    this.leftovers.clear();
  }

  private async tidy(): Promise<void> {
    for (const [name, { key, until }] of this.leftovers) {
      await this.remove(key, name);
      if (performance.now() >= until) this.leftovers.delete(name);
    }
  }
}
