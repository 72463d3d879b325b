import { type HeldLease } from '../held-lease.js';
import { type Renewable } from '../renewals.js';

/** How far the clocks of the nodes may drift apart during a lease, plus the precision with which Redis expires keys. */
export function drift(leaseMs: number): number {
  return leaseMs * 0.01 + 2;
}

/** A lease on several nodes, for the watchdog: a renewal extends it by the lease minus the drift. */
export class Watched<Held> implements Renewable {
  constructor(
    /** The lock that is renewed on the nodes. */
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
