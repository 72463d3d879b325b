import { checkAcquire } from './arguments.js';
import { HeldLease } from './held-lease.js';
import { LocalLine } from './local-line.js';
import { type AcquireOptions, type Lease, Lock } from './lock.js';

/** A mutex per key inside this process. Other processes do not see it: that is its limit, not a bug. */
export class LocalLock extends Lock {
  private readonly line = new LocalLine();
  private tokens = 0n;

  async acquire(key: string, options: AcquireOptions): Promise<Lease> {
    checkAcquire(key, options);
    const started = performance.now();
    const turn = await this.line.enter(key, options);
    this.tokens += 1n;
    const now = performance.now();
    const deadline = now + (options.leaseMs ?? Infinity);
    const leave = () => {
      turn.leave();
    };
    return new HeldLease(
      { key, token: this.tokens, attempts: 1, waitedMs: now - started, deadline },
      () => {
        leave();
        return Promise.resolve(true);
      },
      leave,
    );
  }

  /** Keys that are held or waited for. */
  get size(): number {
    return this.line.size;
  }
}
