import { LockTimeout, TooManyWaiting } from './errors.js';
import { type AcquireOptions } from './lock.js';

interface Waiter {
  readonly grant: () => void;
}

/**
 * A first-come-first-served semaphore inside one process. A wait can time out or be aborted, and then leaves
 * its place in the queue at once: a queue full of people who have gone home delays those who are still there.
 */
export class LocalSemaphore {
  private free: number;
  private readonly queue: Waiter[] = [];

  constructor(
    private readonly size: number,
    private readonly maxWaiting = Infinity,
  ) {
    this.free = size;
  }

  get held(): number {
    return this.size - this.free;
  }

  get waiting(): number {
    return this.queue.length;
  }

  /** The function that gives the place back, or undefined when none is free. */
  tryAcquire(): (() => void) | undefined {
    if (this.free === 0) return undefined;
    this.free -= 1;
    return this.releaser();
  }

  /** Resolves, once a place is free, with the function that gives it back. */
  acquire({ waitMs, signal }: AcquireOptions): Promise<() => void> {
    if (signal?.aborted) return Promise.reject(signal.reason as Error);
    const place = this.tryAcquire();
    if (place) return Promise.resolve(place);
    if (this.queue.length >= this.maxWaiting) return Promise.reject(new TooManyWaiting());
    return new Promise((resolve, reject) => {
      const leave = () => {
        clearTimeout(timer);
        signal?.removeEventListener('abort', onAbort);
        this.queue.splice(this.queue.indexOf(waiter), 1);
      };
      const waiter: Waiter = {
        grant: () => {
          leave();
          resolve(this.releaser());
        },
      };
      const onAbort = () => {
        leave();
        reject(signal?.reason as Error);
      };
      const timer = setTimeout(() => {
        leave();
        reject(new LockTimeout(waitMs));
      }, waitMs);
      signal?.addEventListener('abort', onAbort, { once: true });
      this.queue.push(waiter);
    });
  }

  private releaser(): () => void {
    let released = false;
    return () => {
      if (released) return;
      released = true;
      const [next] = this.queue;
      if (next) next.grant();
      else this.free += 1;
    };
  }
}
