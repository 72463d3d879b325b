import { type HeldLease } from '../held-lease.js';
import { type Lease } from '../lock.js';

/**
 * The time for which this process owns a key in Redis. Several local holders may pass it on among themselves
 * without asking Redis again; each gets a token of its own from the block that was minted with the grant.
 */
export class Tenure {
  readonly began = performance.now();
  /** The leases of its present holder: one, and one more for each time it has entered again. */
  readonly leases = new Set<HeldLease>();
  /** A tenure that was lost is passed on to nobody. */
  lost = false;
  /** Counts the local holders. */
  turn = 0;
  private token: bigint;

  constructor(
    readonly key: string,
    /** The owner as Redis knows it: random, so that nobody else can give it back. */
    readonly owner: string,
    /** Undefined: renewed by the watchdog. */
    readonly leaseMs: number | undefined,
    public deadline: number,
    /** The holder's place at the head of the local line. */
    public place: Lease,
    firstToken: bigint,
    private tokensLeft: number,
  ) {
    this.token = firstToken;
    this.tokensLeft -= 1;
  }

  /** The token of the present holder. */
  get currentToken(): bigint {
    return this.token;
  }

  get canPassOn(): boolean {
    return this.tokensLeft > 0;
  }

  /** To the next local holder, with the next token. */
  passOn(): void {
    this.turn += 1;
    this.tokensLeft -= 1;
    this.token += 1n;
  }

  extend(deadline: number): void {
    this.deadline = Math.max(this.deadline, deadline);
    for (const lease of this.leases) lease.extend(deadline);
  }

  lose(): void {
    for (const lease of this.leases) lease.lose();
  }
}
