import { LockTimeout } from './errors.js';

/** How long a waiter waits at most, and the signal that ends its wait early. */
export interface WaitOptions {
  readonly waitMs: number;
  readonly signal?: AbortSignal | undefined;
}

/**
 * A wait that ends when `begin`'s `end` is called, when it times out, or when it is aborted. `end` returns the function that
 * resolves the promise, which may be called later. `begin` returns what must be done at the end of the wait in any case.
 */
export function boundedWait<Value>(
  { waitMs, signal }: WaitOptions,
  begin: (end: () => (value: Value) => void) => () => void,
): Promise<Value> {
  if (signal?.aborted) return Promise.reject(signal.reason as Error);
  return new Promise((resolve, reject) => {
    const end = () => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', onAbort);
      leave();
      return resolve;
    };
    const onAbort = () => {
      end();
      reject(signal?.reason as Error);
    };
    const timer = setTimeout(() => {
      end();
      reject(new LockTimeout(waitMs));
    }, waitMs);
    signal?.addEventListener('abort', onAbort, { once: true });
    const leave = begin(end);
  });
}
