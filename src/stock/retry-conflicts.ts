import { setTimeout as sleep } from 'node:timers/promises';
import { ClientGone, Conflict } from '../errors.js';

const MAX_ATTEMPTS = 16;
const FIRST_PAUSE_MS = 4;
const LONGEST_PAUSE_MS = 200;

/**
 * Retries after a conflict, a bounded number of times. The pause is random between zero and a bound that doubles:
 * requests that collided once would otherwise collide again at the same moment. Without a signal the work has no client
 * of its own that could hang up.
 */
export async function retryConflicts<T>(
  { signal }: { readonly signal?: AbortSignal },
  work: (attempt: number) => Promise<T>,
): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await work(attempt);
    } catch (error) {
      if (!(error instanceof Conflict) || attempt === MAX_ATTEMPTS) throw error;
    }
    await sleep(Math.random() * Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** attempt));
    if (signal?.aborted) throw new ClientGone();
  }
}
