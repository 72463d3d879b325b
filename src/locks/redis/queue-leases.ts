import { setMaxListeners } from 'node:events';
import { bounded } from '../bounded.js';
import { LockLost } from '../errors.js';
import { type GrantFacts, HeldLease } from '../held-lease.js';
import { type Lease } from '../lock.js';
import { persist } from '../persist.js';
import { Renewals } from '../renewals.js';
import { type LockQueue } from './lock-queue.js';

/** What a lease is in Redis. */
export interface Holding {
  readonly member: string;
  /** Undefined: renewed by the watchdog. */
  readonly leaseMs: number | undefined;
}

/** The leases of one client in its queues: handed out, renewed and released. */
export class QueueLeases {
  private readonly holdings = new WeakMap<Lease, Holding>();
  private readonly renewals: Renewals<HeldLease>;
  private readonly closing = new AbortController();
  /** Leases that end by becoming something else, and how. */
  private readonly conversions = new WeakMap<Lease, () => Promise<boolean>>();

  constructor(private readonly queue: LockQueue) {
    // One listener for each release that is being repeated.
    setMaxListeners(0, this.closing.signal);
    this.renewals = new Renewals(queue.watchdogMs, async (lease) => {
      const holding = this.holdings.get(lease);
      return holding !== undefined && queue.renew(lease.key, holding.member, queue.watchdogMs);
    });
  }

  handOut(holding: Holding, facts: GrantFacts): Lease {
    const lease: HeldLease = new HeldLease(
      facts,
      () => this.release(lease, holding),
      () => {
        // A holder that lost its lease may never release it: the watchdog must not keep it alive.
        this.renewals.remove(lease);
      },
    );
    this.holdings.set(lease, holding);
    if (holding.leaseMs === undefined) this.renewals.add(lease);
    return lease;
  }

  /** Turns a writer's lease into a reader's, of the same length from now on. */
  async downgrade(lease: Lease): Promise<Lease> {
    const { queue } = this;
    const { key } = lease;
    const holding = this.holdings.get(lease);
    if (!holding?.member.startsWith('w:')) throw new TypeError('not a write lease of this lock');
    const asked = performance.now();
    const leaseMs = holding.leaseMs ?? queue.watchdogMs;
    const reader: Holding = { ...holding, member: queue.newMember('reader') };
    this.conversions.set(lease, () => queue.downgrade(key, holding.member, reader.member, leaseMs));
    const deadline = asked + leaseMs;
    const converted = await lease.release();
    const answered = performance.now();
    if (!converted || answered >= deadline) {
      // The answer may be lost although the conversion happened, or may come after the read lease has ended.
      await Promise.all([this.leave(key, reader), this.leave(key, holding)]);
      throw new LockLost();
    }
    return this.handOut(reader, { key, attempts: 1, waitedMs: answered - asked, deadline });
  }

  /** Stops the watchdog: leases that are still held expire. */
  close(): void {
    this.closing.abort();
    this.renewals.close();
  }

  /**
   * Releases what the member holds, or its place in the queue. Undefined: Redis did not answer, and is asked again in the
   * background. Never rejects.
   */
  async leave(key: string, { member, leaseMs }: Holding): Promise<boolean | undefined> {
    const { queue } = this;
    const leave = () => queue.leave(key, member);
    try {
      return await bounded(leave(), performance.now() + queue.commandTimeoutMs);
    } catch {
      void persist(leave, leaseMs ?? queue.watchdogMs, queue.commandTimeoutMs, this.closing.signal);
      return undefined;
    }
  }

  private async release(lease: HeldLease, holding: Holding): Promise<boolean> {
    this.renewals.remove(lease);
    const convert = this.conversions.get(lease);
    if (convert) return bounded(convert(), performance.now() + this.queue.commandTimeoutMs);
    return (await this.leave(lease.key, holding)) ?? false;
  }
}
