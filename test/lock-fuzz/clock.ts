import { setTimeout as sleep } from 'node:timers/promises';

/** Milliseconds of CLOCK_MONOTONIC, which all processes of a machine share. */
export function now(): number {
  return Number(process.hrtime.bigint()) / 1e6;
}

export async function sleepUntil(at: number): Promise<void> {
  const left = at - now();
  if (left > 0) await sleep(left);
}

/** The value of the promise, or undefined when it has not settled by then. */
export async function settledBy<T>(at: number, work: Promise<T>): Promise<T | undefined> {
  const stop = new AbortController();
  const timeout = sleep(Math.max(0, at - now()), undefined, { signal: stop.signal }).catch(() => undefined);
  try {
    return await Promise.race([work, timeout]);
  } finally {
    stop.abort();
  }
}
