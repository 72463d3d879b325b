import { type HeldLease } from '../held-lease.js';
import { type Turn } from '../local-line.js';
import { type Renewable } from '../renewals.js';

/**
 * The time for which this process owns a key in the engine. Several local holders may pass it on among themselves
 * without a round trip; each gets a token of its own from the block that was minted with the grant.
 */
export class Tenure implements Renewable {
  /** A lost tenure is passed on to no holder. */
  lost = false;
  /** How many local holders it had before the present one. */
  passes = 0;
  /** The present holder; undefined while it is passed on. */
  hold: Hold | undefined;

  constructor(
    readonly key: string,
    /** The owner's name in the engine: random, so that no other client can release it. */
    readonly owner: string,
    /** Undefined: renewed by the watchdog. */
    readonly leaseMs: number | undefined,
    /** When it was asked for, by performance.now(). */
    readonly began: number,
    public deadline: number,
    private readonly firstToken: bigint,
    private readonly tokens: number,
  ) {}

  get token(): bigint {
    return this.firstToken + BigInt(this.passes);
  }

  get hasTokenForNext(): boolean {
    return this.passes + 1 < this.tokens;
  }

  extend(deadline: number): void {
    this.deadline = Math.max(this.deadline, deadline);
    for (const lease of this.hold?.leases ?? []) lease.extend(deadline);
  }

  /** Also while it is passed on: the next holder must not inherit what the engine has given to another client. */
  lose(): void {
    this.lost = true;
    // A copy, because a lease leaves the list when it is lost.
    for (const lease of [...(this.hold?.leases ?? [])]) lease.lose();
  }
}

/** What a tenure passes from one local caller to the next. */
export interface Baton {
  /** Owned by the caller that gets the baton, and by no other. */
  readonly tenure?: Tenure;
  /** The engine failed for this key: callers that were in line by then fail too, instead of one time-out after the other. */
  readonly failure?: { readonly at: number; readonly error: unknown };
  /** Until then, by performance.now(), other processes go first. */
  readonly othersFirstUntil?: number;
}

/** One holder's share of a tenure. A reentrant holder has a lease for each entry; the last one to end ends the hold. */
export class Hold {
  readonly leases: HeldLease[] = [];

  constructor(
    readonly tenure: Tenure,
    readonly turn: Turn<Baton>,
  ) {
    tenure.hold = this;
  }

  get isOver(): boolean {
    return this.leases.length === 0;
  }

  /** False when the lease had left already. */
  remove(lease: HeldLease): boolean {
    const index = this.leases.indexOf(lease);
    if (index >= 0) this.leases.splice(index, 1);
    return index >= 0;
  }
}
