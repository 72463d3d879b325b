import { LockLost } from '../errors.js';
import { type GrantFacts, HeldLease } from '../held-lease.js';
import { type Lease } from '../lock.js';
import { type LockQueue } from './lock-queue.js';
import { Renewals } from './renewals.js';

/** What a lease is in Redis. */
export interface Holding {
  readonly member: string;
  /** Undefined: renewed by the watchdog. */
  readonly leaseMs: number | undefined;
}

/** The leases of one client in its queues: handed out, renewed and given back. */
export class QueueLeases {
  private readonly holdings = new WeakMap<Lease, Holding>();
  private readonly renewals: Renewals<HeldLease>;
  /** Leases that end by becoming something else, and how. */
  private readonly conversions = new WeakMap<Lease, () => Promise<boolean>>();

  constructor(private readonly queue: LockQueue) {
    this.renewals = new Renewals(queue.watchdogMs, async (lease) => {
      const holding = this.holdings.get(lease);
      return holding !== undefined && queue.renew(lease.key, holding.member, queue.watchdogMs);
    });
  }

  handOut(holding: Holding, facts: GrantFacts): Lease {
    const lease: HeldLease = new HeldLease(facts, () => this.giveBack(lease, holding));
    this.holdings.set(lease, holding);
    if (holding.leaseMs === undefined) this.renewals.add(lease);
    return lease;
  }

  /** Ends a writer's lease by making a reader's of it, of the same length from now on. */
  async downgrade(lease: Lease): Promise<Lease> {
    const { queue } = this;
    const { key } = lease;
    const holding = this.holdings.get(lease);
    if (!holding?.member.startsWith('w:')) throw new TypeError('not a write lease of this lock');
    const asked = performance.now();
    const leaseMs = holding.leaseMs ?? queue.watchdogMs;
    const reader: Holding = { ...holding, member: queue.newMember('reader') };
    this.conversions.set(lease, () => queue.downgrade(key, holding.member, reader.member, leaseMs));
    if (!(await lease.release())) {
      await queue.leave(key, reader.member).catch(() => false);
      throw new LockLost();
    }
    const waitedMs = performance.now() - asked;
    return this.handOut(reader, { key, attempts: 1, waitedMs, deadline: asked + leaseMs });
  }

  private async giveBack(lease: HeldLease, { member }: Holding): Promise<boolean> {
    this.renewals.remove(lease);
    const convert = this.conversions.get(lease);
    const leave = convert ?? (() => this.queue.leave(lease.key, member));
    // When Redis does not answer nobody can say whether it was still held; its end will come by itself.
    return leave().catch(() => false);
  }
}
