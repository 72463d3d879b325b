import { DEADLINES, type Expiring } from './deadlines.js';

/** The engine did not answer in time. The command may still be executed. */
export class NoAnswer extends Error {
  constructor() {
    super('The lock server did not answer in time.');
  }
}

/**
 * The engine's answer, or a rejection at `deadline` (by performance.now()) or when the signal is aborted, whichever comes
 * first. A client without a command timeout would otherwise keep a caller waiting long after its `waitMs`.
 */
export function bounded<T>(answer: Promise<T>, deadline: number, signal?: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const timeout: Expiring = {
      deadline,
      previous: undefined,
      next: undefined,
      lose: () => {
        settle();
        reject(new NoAnswer());
      },
    };
    const onAbort = () => {
      settle();
      reject(signal?.reason as Error);
    };
    const settle = () => {
      DEADLINES.remove(timeout);
      signal?.removeEventListener('abort', onAbort);
    };
    DEADLINES.add(timeout);
    signal?.addEventListener('abort', onAbort);
    answer.then(
      (value) => {
        settle();
        resolve(value);
      },
      (error: unknown) => {
        settle();
        reject(error instanceof Error ? error : new Error(String(error)));
      },
    );
    if (signal?.aborted) onAbort();
  });
}
