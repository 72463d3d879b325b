import { AsyncLocalStorage } from 'node:async_hooks';
import { checkAcquire } from '../arguments.js';
import { LockLost } from '../errors.js';
import { type HeldLease } from '../held-lease.js';
import { type AcquireOptions, type Lease } from '../lock.js';
import { ExclusiveLock } from './exclusive-lock.js';
import { type Hold } from './tenure.js';

/** What an async context holds, the latest first. */
interface Holding {
  readonly lock: ReentrantLock;
  readonly hold: Hold;
  readonly outer: Holding | undefined;
}

/** One for all locks: every storage adds to the cost of every promise of the process. */
const CONTEXT = new AsyncLocalStorage<Holding>();

/**
 * A lock that its holder may acquire again. The holder is the async context of `using`, never a thread or a process:
 * everything that its work calls, however deep and across awaits, enters at once, and the lock is free when all
 * entries have left.
 *
 * Entries are counted here and not in the engine. An entry is counted before anything is awaited, so the hold cannot
 * end while an entry is under way, and no lost answer can count an entry twice.
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

  /** What the async context that asks holds of a key. */
  private holdOf(key: string): Hold | undefined {
    let holding = CONTEXT.getStore();
    while (holding && !(holding.lock === this && holding.hold.tenure.key === key)) holding = holding.outer;
    return holding?.hold;
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
