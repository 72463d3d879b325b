import { setMaxListeners } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { LoadBuyer, type LoadRequest } from './buyer.js';
import { type OutcomeTally } from './tally.js';

export interface Crowd {
  readonly purchase: LoadRequest;
  /** How many buyers buy at the same time; each waits for its answer before it buys again. */
  readonly buyers: number;
  /** How many purchases they make together. */
  readonly requests: number;
  /** Whether a buyer retries after 503 and 429. */
  readonly retry: boolean;
}

/** A buyer gives up after this many retries. */
const MAX_RETRIES = 10;
/** Spreads the retries of buyers that were refused together. */
const JITTER = 0.5;
/** When the load is stopped, requests in flight may still be answered within this time. */
const GRACE_MS = 3000;

/** Lets the crowd buy until all purchases are made or `stop` is aborted. The tally counts the answers. */
export async function buyAll(crowd: Crowd, tally: OutcomeTally, stop: AbortSignal): Promise<void> {
  let left = crowd.requests;
  const buyers = Array.from(
    { length: Math.min(crowd.buyers, crowd.requests) },
    () => new LoadBuyer(crowd.purchase),
  );
  // Every buyer that waits for a retry adds a listener.
  setMaxListeners(0, stop);
  const impatience = hangUpAfterGrace(buyers, stop);
  tally.begin();
  await Promise.all(
    buyers.map(async (buyer, index) => {
      while (left > 0 && !stop.aborted) {
        left -= 1;
        await purchase(buyer, index, crowd.retry, tally, stop);
      }
    }),
  );
  tally.end();
  impatience.cancel();
  await Promise.all(buyers.map((buyer) => buyer.leave()));
}

/** One purchase: from the first request to the final answer, with all retries. */
async function purchase(
  buyer: LoadBuyer,
  index: number,
  retry: boolean,
  tally: OutcomeTally,
  stop: AbortSignal,
): Promise<void> {
  const began = performance.now();
  for (let retries = 0; ; retries += 1) {
    const { answer, instance } = await buyer.buy();
    const retryAfterMs = answer.kind === 'refused' ? answer.retryAfterMs : undefined;
    if (retryAfterMs === undefined || !retry || retries === MAX_RETRIES || stop.aborted) {
      tally.record(index, answer, instance, performance.now() - began);
      return;
    }
    tally.retry(instance);
    const pause = retryAfterMs * (1 + Math.random() * JITTER);
    await sleep(pause, undefined, { signal: stop }).catch(() => undefined);
  }
}

function hangUpAfterGrace(buyers: readonly LoadBuyer[], stop: AbortSignal): { cancel(): void } {
  let timer: NodeJS.Timeout | undefined;
  const onStop = () => {
    timer = setTimeout(() => {
      for (const buyer of buyers) void buyer.leave();
    }, GRACE_MS);
  };
  if (stop.aborted) onStop();
  stop.addEventListener('abort', onStop, { once: true });
  return {
    cancel() {
      clearTimeout(timer);
      stop.removeEventListener('abort', onStop);
    },
  };
}
