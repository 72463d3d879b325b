import { HeldLease } from './held-lease.js';
import { LocalSemaphore } from './local-semaphore.js';
import { type AcquireOptions, type Lease, Lock } from './lock.js';

/** A mutex per key inside this process. It knows nothing of other processes: that is its limit, not a bug. */
export class LocalLock extends Lock {
  private readonly mutexes = new Map<string, LocalSemaphore>();
  private tokens = 0n;

  async acquire(key: string, options: AcquireOptions): Promise<Lease> {
    const started = performance.now();
    const mutex = this.mutexes.get(key) ?? new LocalSemaphore(1);
    this.mutexes.set(key, mutex);
    // A key that nobody holds or wants costs no memory.
    const forget = () => {
      if (mutex.held === 0 && this.mutexes.get(key) === mutex) this.mutexes.delete(key);
    };
    const giveBack = await mutex.acquire(options).catch((error: unknown) => {
      forget();
      throw error;
    });
    this.tokens += 1n;
    const waitedMs = performance.now() - started;
    return new HeldLease({ key, token: this.tokens, attempts: 1, waitedMs, deadline: Infinity }, () => {
      giveBack();
      forget();
      return Promise.resolve(true);
    });
  }

  /** How many wait for the key. */
  waiting(key: string): number {
    return this.mutexes.get(key)?.waiting ?? 0;
  }

  /** Keys that are held or wanted. */
  get size(): number {
    return this.mutexes.size;
  }
}
