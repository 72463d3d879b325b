import { type GrantFacts, HeldLease } from '../held-lease.js';
import { type Leave } from '../local-line.js';

/**
 * The time for which this process owns a key in Redis. Several local holders may pass it on among themselves
 * without asking Redis again; each gets a token of its own from the block that was minted with the grant.
 */
export class Tenure {
  /** The leases of its present holder: one, and one more for each time it has entered again. */
  readonly leases: HeldLease[] = [];
  /** A tenure that was lost is passed on to nobody. */
  lost = false;
  /** Counts the local holders. */
  turn = 0;
  private token = 0n;
  private tokensLeft = 0;

  constructor(
    readonly key: string,
    /** The owner as Redis knows it: random, so that nobody else can give it back. */
    readonly owner: string,
    /** Undefined: renewed by the watchdog. */
    readonly leaseMs: number | undefined,
    /** When it was asked for. */
    readonly began: number,
    public deadline: number,
    /** Gives up the present holder's place at the head of the local line. */
    public leave: Leave,
  ) {}

  /** Granted, with a block of tokens. */
  begin(firstToken: bigint, tokens: number): void {
    this.token = firstToken;
    this.tokensLeft = tokens - 1;
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
    // Each lease that is lost may be given back at once, so not over the list itself.
    for (const lease of [...this.leases]) lease.lose();
  }
}

/** A lease that knows the tenure behind it. */
export class TenureLease extends HeldLease {
  constructor(
    readonly tenure: Tenure,
    facts: GrantFacts,
    giveBack: () => Promise<boolean>,
    onLost: () => void,
  ) {
    super(facts, giveBack, onLost);
  }
}
