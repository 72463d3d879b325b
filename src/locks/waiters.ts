import { boundedWait, type WaitOptions } from './bounded-wait.js';

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

  wait(options: WaitOptions): Promise<Value> {
    return boundedWait<Value>(options, (end) => {
      const receive = (value: Value) => {
        end()(value);
      };
      this.queue.push(receive);
      return () => {
        this.queue.splice(this.queue.indexOf(receive), 1);
      };
    });
  }
}
