import { HeldLease } from './held-lease.js';
import { LocalLine } from './local-line.js';
import { type AcquireOptions, type Lease, Lock } from './lock.js';

/** A mutex per key inside this process. It knows nothing of other processes: that is its limit, not a bug. */
export class LocalLock extends Lock {
  private readonly line = new LocalLine();
  private tokens = 0n;

  async acquire(key: string, options: AcquireOptions): Promise<Lease> {
    const started = performance.now();
    const leave = await this.line.enter(key, options);
    this.tokens += 1n;
    const waitedMs = performance.now() - started;
    return new HeldLease({ key, token: this.tokens, attempts: 1, waitedMs, deadline: Infinity }, () => {
      leave();
      return Promise.resolve(true);
    });
  }

  /** Keys that are held or wanted. */
  get size(): number {
    return this.line.size;
  }
}
