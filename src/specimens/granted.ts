import { setTimeout as sleep } from 'node:timers/promises';
import { ClientGone } from '../errors.js';
import { LockTimeout } from '../locks/errors.js';
import { type SaleCost } from '../stock/ledger.js';
import { type DeductOrder } from '../strategies/strategy.js';

const LONGEST_PAUSE_MS = 25;

/** Retries until the lock is granted or the wait time is over. */
export async function untilGranted(
  { signal }: DeductOrder,
  waitMs: number,
  ask: () => Promise<boolean>,
): Promise<SaleCost> {
  const started = performance.now();
  for (let attempts = 1; ; attempts += 1) {
    const granted = await ask();
    const waitedMs = performance.now() - started;
    if (granted) return { attempts, waitedMs };
    if (waitedMs >= waitMs) throw new LockTimeout(waitedMs);
    await sleep(Math.random() * LONGEST_PAUSE_MS);
    if (signal.aborted) throw new ClientGone();
  }
}
