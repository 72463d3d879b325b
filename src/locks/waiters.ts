import { LockTimeout } from './errors.js';

/** How long a waiter waits at most, and the signal that ends its wait early. */
export interface WaitOptions {
  readonly waitMs: number;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Callers that wait for a value, first come first served. A waiter that times out or is aborted leaves the queue at
 * once, so that it never delays the waiters behind it.
 */
export class Waiters<Value> {
  private readonly queue: ((value: Value) => void)[] = [];

  get size(): number {
    return this.queue.length;
  }

  /** Gives the value to the first waiter; false when there is none. */
  give(value: Value): boolean {
    const [first] = this.queue;
    first?.(value);
    return first !== undefined;
  }

  wait({ waitMs, signal }: WaitOptions): Promise<Value> {
    if (signal?.aborted) return Promise.reject(signal.reason as Error);
    return new Promise((resolve, reject) => {
      const leave = () => {
        clearTimeout(timer);
        signal?.removeEventListener('abort', onAbort);
        this.queue.splice(this.queue.indexOf(receive), 1);
      };
      const receive = (value: Value) => {
        leave();
        resolve(value);
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
      this.queue.push(receive);
    });
  }
}
