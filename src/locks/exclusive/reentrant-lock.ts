import { AsyncLocalStorage } from 'node:async_hooks';
import { checkAcquire } from '../arguments.js';
import { LockLost } from '../errors.js';
import { type HeldLease } from '../held-lease.js';
import { type AcquireOptions, type Lease } from '../lock.js';
import { ExclusiveLock } from './exclusive-lock.js';
import { type Hold } from './tenure.js';

/** A hold of an async context, linked to the holds that it had before. */
interface ContextHold {
  readonly lock: ReentrantLock;
  readonly hold: Hold;
  readonly outer: ContextHold | undefined;
}

/** One storage for all locks: each storage makes every promise of the process slower. */
const CONTEXT = new AsyncLocalStorage<ContextHold>();

/**
 * A lock that its holder may acquire again. The holder is the async context of `using`, not a thread or a process:
 * everything that its work calls, at any depth and across awaits, enters at once. The lock is released when all entries
 * are released.
 *
 * Entries are counted here and not in the engine. An entry is counted before anything is awaited, so the hold cannot
 * end while an entry is in flight, and a lost answer cannot make an entry count twice.
 */
export class ReentrantLock extends ExclusiveLock {
  private readonly holds = new WeakMap<Lease, Hold>();

  override acquire(key: string, options: AcquireOptions): Promise<Lease> {
    const hold = this.holdOf(key);
    // Work that outlives its `using` is a caller like any other.
    if (!hold || hold.isOver) return super.acquire(key, options);
    return new Promise((resolve) => {
      checkAcquire(key, options);
      resolve(this.enterAgain(hold, options));
    });
  }

  override asHolder<T>(lease: Lease, work: () => Promise<T>): Promise<T> {
    const hold = this.holds.get(lease);
    if (!hold) return work();
    return CONTEXT.run({ lock: this, hold, outer: CONTEXT.getStore() }, work);
  }

  protected override enter(...[hold, facts]: Parameters<ExclusiveLock['enter']>): HeldLease {
    const lease = super.enter(hold, facts);
    this.holds.set(lease, hold);
    return lease;
  }

  /** The hold that the calling async context has of a key. */
  private holdOf(key: string): Hold | undefined {
    let held = CONTEXT.getStore();
    while (held && !(held.lock === this && held.hold.tenure.key === key)) held = held.outer;
    return held?.hold;
  }

  /** The entry ends with the hold at the latest, and with its own `leaseMs` if that is shorter. */
  private enterAgain(hold: Hold, { leaseMs, signal }: AcquireOptions): Lease {
    signal?.throwIfAborted();
    const now = performance.now();
    if (hold.tenure.lost || hold.tenure.deadline <= now) throw new LockLost();
    return this.enter(hold, {
      attempts: 1,
      waitedMs: 0,
      ...(leaseMs !== undefined && { end: now + leaseMs }),
    });
  }
}
