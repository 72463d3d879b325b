import { type HeldLease } from '../held-lease.js';
import { type Renewable } from '../renewals.js';

/** What the clocks of the nodes may run apart during a lease, and the millisecond to which Redis expires keys. */
export function drift(leaseMs: number): number {
  return leaseMs * 0.01 + 2;
}

/** A lease on several nodes as the watchdog sees it: each renewal counts for the lease less the drift. */
export class Watched<Held> implements Renewable {
  constructor(
    /** What is renewed on the nodes. */
    readonly held: Held,
    private readonly lease: HeldLease,
    private readonly leaseMs: number,
  ) {}

  extend(deadline: number): void {
    this.lease.extend(deadline - drift(this.leaseMs));
  }

  lose(): void {
    this.lease.lose();
  }
}
