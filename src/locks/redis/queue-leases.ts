import { setMaxListeners } from 'node:events';
import { bounded } from '../bounded.js';
import { LockLost } from '../errors.js';
import { type GrantFacts, HeldLease } from '../held-lease.js';
import { type Lease } from '../lock.js';
import { persist } from '../persist.js';
import { Renewals } from '../renewals.js';
import { type LockQueue } from './lock-queue.js';

/** A member of a queue in Redis, and the length of its lease. */
export interface QueueEntry {
  readonly member: string;
  /** Undefined: renewed by the watchdog. */
  readonly leaseMs: number | undefined;
}

/** The leases of one client in its queues: handed out, renewed and released. */
export class QueueLeases {
  private readonly entries = new WeakMap<Lease, QueueEntry>();
  private readonly renewals: Renewals<HeldLease>;
  private readonly closing = new AbortController();
  /** For leases that end by conversion: the call that converts them. */
  private readonly conversions = new WeakMap<Lease, () => Promise<boolean>>();

  constructor(private readonly queue: LockQueue) {
    // One listener for each release that is being repeated.
    setMaxListeners(0, this.closing.signal);
    this.renewals = new Renewals(queue.watchdogMs, async (lease) => {
      const entry = this.entries.get(lease);
      return entry !== undefined && queue.renew(lease.key, entry.member, queue.watchdogMs);
    });
  }

  handOut(entry: QueueEntry, facts: GrantFacts): Lease {
    const lease: HeldLease = new HeldLease(
      facts,
      () => this.release(lease, entry),
      () => {
        // A holder that lost its lease may never release it: the watchdog must not keep it alive.
        this.renewals.remove(lease);
      },
    );
    this.entries.set(lease, entry);
    if (entry.leaseMs === undefined) this.renewals.add(lease);
    return lease;
  }

  /** Converts a write lease into a read lease of the same length, counted from now. */
  async downgrade(lease: Lease): Promise<Lease> {
    const { queue } = this;
    const { key } = lease;
    const entry = this.entries.get(lease);
    if (!entry?.member.startsWith('w:')) throw new TypeError('The lease is not a write lease of this lock.');
    const asked = performance.now();
    const leaseMs = entry.leaseMs ?? queue.watchdogMs;
    const reader: QueueEntry = { ...entry, member: queue.newMember('reader') };
    this.conversions.set(lease, () => queue.downgrade(key, entry.member, reader.member, leaseMs));
    const deadline = asked + leaseMs;
    const converted = await lease.release();
    const answered = performance.now();
    if (!converted || answered >= deadline) {
      // The answer may be lost although the conversion happened, or may come after the read lease has ended.
      await Promise.all([this.leave(key, reader), this.leave(key, entry)]);
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
   * Releases the lock of the member, or its place in the queue. Undefined: Redis did not answer, and the release is
   * repeated in the background. Never rejects.
   */
  async leave(key: string, { member, leaseMs }: QueueEntry): Promise<boolean | undefined> {
    const { queue } = this;
    const leave = () => queue.leave(key, member);
    try {
      return await bounded(leave(), performance.now() + queue.commandTimeoutMs);
    } catch {
      void persist(leave, leaseMs ?? queue.watchdogMs, queue.commandTimeoutMs, this.closing.signal);
      return undefined;
    }
  }

  private async release(lease: HeldLease, entry: QueueEntry): Promise<boolean> {
    this.renewals.remove(lease);
    const convert = this.conversions.get(lease);
    if (convert) return bounded(convert(), performance.now() + this.queue.commandTimeoutMs);
    return (await this.leave(lease.key, entry)) ?? false;
  }
}
