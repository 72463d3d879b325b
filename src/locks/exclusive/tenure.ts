import { type HeldLease } from '../held-lease.js';
import { type Turn } from '../local-line.js';
import { type Renewable } from '../renewals.js';

/**
 * The time for which this process owns a key in the engine. Local holders hand it off to each other without a round trip;
 * each gets its own token from the block that was minted with the grant.
 */
export class Tenure implements Renewable {
  /** A lost tenure is not handed off. */
  lost = false;
  /** How many local holders it had before the current one. */
  passes = 0;
  /** The current holder; undefined during a hand-off. */
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

  /** Also during a hand-off: the next holder must not get a lock that the engine has granted to another client. */
  lose(): void {
    this.lost = true;
    // A copy, because a lost lease is removed from the list.
    for (const lease of [...(this.hold?.leases ?? [])]) lease.lose();
  }
}

/** What one local caller hands to the next. */
export interface HandOff {
  /** Owned by the next caller alone. */
  readonly tenure?: Tenure;
  /** The engine failed for this key. Callers that were in line at that time also fail, instead of timing out one by one. */
  readonly failure?: { readonly at: number; readonly error: unknown };
  /** Until then, by performance.now(), other processes go first. */
  readonly othersFirstUntil?: number;
}

/** One holder's part of a tenure. A reentrant holder has a lease for each entry; the hold ends with the last of them. */
export class Hold {
  readonly leases: HeldLease[] = [];

  constructor(
    readonly tenure: Tenure,
    readonly turn: Turn<HandOff>,
  ) {
    tenure.hold = this;
  }

  get isOver(): boolean {
    return this.leases.length === 0;
  }

  /** False when the lease was removed already. */
  remove(lease: HeldLease): boolean {
    const index = this.leases.indexOf(lease);
    if (index >= 0) this.leases.splice(index, 1);
    return index >= 0;
  }
}
