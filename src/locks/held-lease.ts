import { Deadlines, type Expiring } from './deadlines.js';
import { LockLost } from './errors.js';
import { type Lease } from './lock.js';

/** What is known when the lock is granted. */
export interface GrantFacts {
  readonly key: string;
  readonly waitedMs: number;
  readonly attempts: number;
  readonly token?: bigint | undefined;
  /** By performance.now(), from a reading taken before the grant was asked for. Infinity where nothing expires. */
  readonly deadline: number;
}

const DEADLINES = new Deadlines();

/**
 * The lease that every engine hands out. It aborts its own signal when its deadline passes, whether or not the
 * server can be asked: not knowing is losing.
 */
export class HeldLease implements Lease, Expiring {
  readonly key: string;
  readonly token: bigint | undefined;
  readonly waitedMs: number;
  readonly attempts: number;
  deadline: number;
  previous: Expiring | undefined = undefined;
  next: Expiring | undefined = undefined;
  /** Made when somebody asks for it: most leases are released before anybody does. */
  private controller: AbortController | undefined;
  private lost = false;
  private released = false;

  constructor(
    facts: GrantFacts,
    private readonly giveBack: () => Promise<boolean>,
    /** Called once when it is lost, so that those who queue behind it need not wait for a release that may never come. */
    private readonly onLost: () => void = () => undefined,
  ) {
    this.key = facts.key;
    this.token = facts.token;
    this.waitedMs = facts.waitedMs;
    this.attempts = facts.attempts;
    this.deadline = facts.deadline;
    if (this.deadline < Infinity) DEADLINES.add(this);
  }

  get signal(): AbortSignal {
    // Also where the event loop was too busy for the timer.
    if (this.remaining() === 0) this.lose();
    this.controller ??= new AbortController();
    if (this.lost) this.controller.abort(new LockLost());
    return this.controller.signal;
  }

  remaining(): number {
    return this.released || this.lost ? 0 : Math.max(0, this.deadline - performance.now());
  }

  /** The lease was renewed; a renewal that comes after the loss changes nothing. */
  extend(deadline: number): void {
    this.deadline = Math.max(this.deadline, deadline);
  }

  /** Ownership cannot be proven any more. */
  lose(): void {
    if (this.released || this.lost) return;
    DEADLINES.remove(this);
    this.lost = true;
    this.controller?.abort(new LockLost());
    this.onLost();
  }

  release(): Promise<boolean> {
    if (this.released) return Promise.resolve(false);
    this.released = true;
    DEADLINES.remove(this);
    // What was lost before is given back all the same, in case Redis or whoever does not know it yet.
    return this.lost ? this.giveBack().then(() => false) : this.giveBack();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.release();
  }
}
