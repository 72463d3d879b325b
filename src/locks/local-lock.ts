import { LocalSemaphore } from './local-semaphore.js';
import { type AcquireOptions, type Lease, type Lock } from './lock.js';

/** A mutex per key inside this process. It knows nothing of other processes: that is its limit, not a bug. */
export class LocalLock implements Lock {
  private readonly mutexes = new Map<string, LocalSemaphore>();

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
    let held = true;
    return {
      attempts: 1,
      waitedMs: performance.now() - started,
      signal: new AbortController().signal,
      release: () => {
        const was = held;
        held = false;
        giveBack();
        forget();
        return Promise.resolve(was);
      },
    };
  }
}
