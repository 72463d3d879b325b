import { TooManyWaiting } from './errors.js';
import { type WaitOptions } from './bounded-wait.js';
import { Waiters } from './waiters.js';

/** A first-come-first-served semaphore inside one process. A wait can time out or be aborted. */
export class LocalSemaphore {
  private free: number;
  private readonly waiters = new Waiters<() => void>();

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
    return this.waiters.size;
  }

  /** The function that releases the slot, or undefined when none is free. */
  tryAcquire(): (() => void) | undefined {
    if (this.free === 0) return undefined;
    this.free -= 1;
    return this.releaser();
  }

  /** Resolves, once a slot is free, with the function that releases it. */
  acquire(options: WaitOptions): Promise<() => void> {
    const { signal } = options;
    if (signal?.aborted) return Promise.reject(signal.reason as Error);
    const place = this.tryAcquire();
    if (place) return Promise.resolve(place);
    if (this.waiting >= this.maxWaiting) return Promise.reject(new TooManyWaiting());
    return this.waiters.wait(options);
  }

  private releaser(): () => void {
    let released = false;
    return () => {
      if (released) return;
      released = true;
      if (!this.waiters.give(this.releaser())) this.free += 1;
    };
  }
}
