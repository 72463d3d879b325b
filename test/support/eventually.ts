import { setTimeout as sleep } from 'node:timers/promises';

/** Waits until the condition holds; fails, naming it, when it does not within the time. */
export async function eventually(
  what: string,
  holds: () => boolean | Promise<boolean>,
  withinMs = 20_000,
): Promise<void> {
  const giveUpAt = performance.now() + withinMs;
  while (!(await holds())) {
    // Always bounded: a loop that a failed test leaves behind would keep the whole run from ending.
    if (performance.now() > giveUpAt) throw new Error(`not within ${withinMs} ms: ${what}`);
    await sleep(5);
  }
}
