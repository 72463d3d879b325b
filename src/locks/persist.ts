import { bounded } from './bounded.js';
import { sleep } from './sleep.js';

const FIRST_PAUSE_MS = 50;
const LONGEST_PAUSE_MS = 500;

/**
 * Repeats a release until the engine has answered or the lease would have ended anyway. Without this, a release that is
 * lost in a short outage would keep the key locked for the rest of the lease. Never rejects.
 */
export async function persist(
  release: () => Promise<unknown>,
  leaseMs: number,
  timeoutMs: number,
  stop?: AbortSignal,
): Promise<void> {
  const until = performance.now() + leaseMs;
  for (let pause = FIRST_PAUSE_MS; ; pause = Math.min(2 * pause, LONGEST_PAUSE_MS)) {
    if (performance.now() + pause >= until) return;
    await sleep(pause, stop);
    if (stop?.aborted) return;
    try {
      await bounded(release(), performance.now() + timeoutMs, stop);
      return;
    } catch {
      // Not answered yet.
    }
  }
}
