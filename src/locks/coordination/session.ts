/** Who stands directly before one in the queue. */
export interface Ahead {
  /** Calls `wake` when it has gone, or when that can no longer be told. The answer ends the listening. */
  watch(wake: () => void): () => void;
}

/** A place in the queue of a key. */
export interface Standing {
  /** Rises with every place that is given out. */
  readonly token: bigint;
  /** Undefined: nobody stands before it, so the lock is held. */
  readonly ahead: Ahead | undefined;
}

/** What lives as long as the session is proven. */
export interface Holding {
  extend(deadline: number): void;
  lose(): void;
}

interface Leftover {
  readonly key: string;
  /** A place whose making was never answered may still be made: it is removed again and again until then. */
  readonly until: number;
}

/**
 * This client as a coordination service knows it: an etcd lease, a ZooKeeper session. The service keeps the client's
 * places in its queues while it hears from it, and drops all of them when it has not for `timeoutMs`.
 */
export abstract class Session {
  abstract readonly timeoutMs: number;
  readonly holdings = new Set<Holding>();
  private provenUntil = -Infinity;
  private ended = false;
  private readonly leftovers = new Map<string, Leftover>();
  private readonly interrupted = new Set<() => void>();

  /** `doubt` has the service asked again soon. */
  constructor(protected readonly doubt: () => void) {}

  /** Stands in the queue of a key under a name of one's own. Asked again with the same name, it is the same place. */
  abstract enter(key: string, name: string): Promise<Standing>;
  /** Where the place is now; `LockLost` when there is none any more. */
  abstract look(key: string, name: string, token: bigint): Promise<Standing>;
  /** Tells the service that this client is gone, if it can be told. */
  abstract close(): Promise<void>;
  /** False when the service says that the session is over; throws when it says nothing. */
  protected abstract renew(): Promise<boolean>;
  /** True when the place was there until now. */
  protected abstract remove(key: string, name: string): Promise<boolean>;

  /** By performance.now(): until then nobody else can have been given what this session holds. */
  get deadline(): number {
    return this.provenUntil;
  }

  get over(): boolean {
    return this.ended;
  }

  /** Asks the service whether it still knows the session, and takes away what could not be taken away before. */
  async prove(): Promise<boolean> {
    // Read before the question is sent: a clock read after the answer would promise too much.
    const asked = performance.now();
    if (!(await this.renew())) {
      this.finish();
      return false;
    }
    this.provenUntil = asked + this.timeoutMs;
    for (const holding of this.holdings) holding.extend(this.provenUntil);
    await this.tidy();
    return true;
  }

  /** Gives a place back. What cannot be given back now is as soon as the service answers again. */
  async leave(key: string, name: string, answered: boolean): Promise<boolean> {
    if (this.ended) return false;
    const leftover = { key, until: answered ? 0 : performance.now() + this.timeoutMs };
    try {
      const removed = await this.remove(key, name);
      if (!answered) this.leftovers.set(name, leftover);
      return removed;
    } catch {
      // As long as the session lives the place would stay in everybody's way.
      this.leftovers.set(name, leftover);
      this.doubt();
      return false;
    }
  }

  /** Calls `wake` when what is held or waited for is in doubt. The answer ends the listening. */
  onInterruption(wake: () => void): () => void {
    this.interrupted.add(wake);
    return () => this.interrupted.delete(wake);
  }

  /** Nothing that it holds can be proven any more, although the service may still keep it. */
  protected suspend(): void {
    for (const holding of this.holdings) holding.lose();
    this.holdings.clear();
    for (const wake of this.interrupted) wake();
  }

  /** The service has dropped all that it held. */
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
