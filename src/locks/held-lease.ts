import { DEADLINES, type Expiring } from './deadlines.js';
import { LockLost } from './errors.js';
import { type Lease } from './lock.js';

/** The facts of a grant. */
export interface GrantFacts {
  readonly key: string;
  readonly waitedMs: number;
  readonly attempts: number;
  readonly token?: bigint | undefined;
  /** By performance.now(), from a reading taken before the request was sent. Infinity where nothing expires. */
  readonly deadline: number;
  /** No renewal moves the deadline beyond this. */
  readonly end?: number;
}

/**
 * The lease of every engine. It aborts its signal when its deadline passes, whether or not the server answers: ownership
 * that cannot be proven counts as lost.
 */
export class HeldLease implements Lease, Expiring {
  readonly key: string;
  readonly token: bigint | undefined;
  readonly waitedMs: number;
  readonly attempts: number;
  deadline: number;
  previous: Expiring | undefined = undefined;
  next: Expiring | undefined = undefined;
  private readonly end: number;
  /** Created on first use: most leases are released before their signal is used. */
  private controller: AbortController | undefined;
  private lost = false;
  private released = false;

  constructor(
    facts: GrantFacts,
    /** Frees the lock in the engine; called once. */
    private readonly free: () => Promise<boolean>,
    /** Called once when the lease is lost, so that waiters behind it do not wait for a release that may never come. */
    private readonly onLost: () => void = () => undefined,
  ) {
    this.key = facts.key;
    this.token = facts.token;
    this.waitedMs = facts.waitedMs;
    this.attempts = facts.attempts;
    this.deadline = facts.deadline;
    this.end = facts.end ?? Infinity;
    if (this.deadline < Infinity) DEADLINES.add(this);
  }

  get signal(): AbortSignal {
    this.loseIfDue();
    this.controller ??= new AbortController();
    if (this.lost) this.controller.abort(new LockLost());
    return this.controller.signal;
  }

  remaining(): number {
    return this.released || this.lost ? 0 : Math.max(0, this.deadline - performance.now());
  }

  /** The lease was renewed. A renewal that is answered after the loss changes nothing. */
  extend(deadline: number): void {
    this.deadline = Math.max(this.deadline, Math.min(deadline, this.end));
  }

  /** Ownership can no longer be proven. */
  lose(): void {
    if (this.released || this.lost) return;
    DEADLINES.remove(this);
    this.lost = true;
    this.controller?.abort(new LockLost());
    this.onLost();
  }

  async release(): Promise<boolean> {
    if (this.released) return false;
    this.loseIfDue();
    this.released = true;
    DEADLINES.remove(this);
    try {
      // A lost lease is also freed: the engine may not have noticed the loss yet.
      return (await this.free()) && !this.lost;
    } catch {
      return false;
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.release();
  }

  /** The timer may be late: the event loop was blocked, or the process was stopped. */
  private loseIfDue(): void {
    if (!this.released && this.deadline <= performance.now()) this.lose();
  }
}
