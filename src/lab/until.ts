import { setTimeout as sleep } from 'node:timers/promises';
import { LabError } from './errors.js';

const POLL_MS = 20;

/** Calls `question` until it resolves with a value other than undefined and false. A rejection counts as no value. */
export async function until<T>(
  what: string,
  question: () => Promise<T | undefined | false>,
  withinMs = 20_000,
): Promise<T> {
  const giveUpAt = performance.now() + withinMs;
  for (;;) {
    const answer = await question().catch(() => undefined);
    if (answer !== undefined && answer !== false) return answer;
    if (performance.now() > giveUpAt) throw new LabError(`${what}: not within ${withinMs / 1000} s.`);
    await sleep(POLL_MS);
  }
}
