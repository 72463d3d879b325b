import { setTimeout as sleep } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { type Audit } from '../../contract/audit.js';
import { type LoadMeasurements, type LoadResult, type Sample } from '../../contract/lab-runs.js';
import { LabError } from '../errors.js';
import { buyAll } from './crowd.js';
import { isKept, runVerdict } from './judgement.js';
import { reconcileReceipts } from './receipt-reconciliation.js';
import { GATEWAY, OutcomeTally } from './tally.js';
import { type Target } from './target.js';
import { explain } from './texts.js';

export interface Load {
  readonly stock: number;
  /** How many buyers buy at the same time. */
  readonly buyers: number;
  /** How many purchases they make together. */
  readonly requests: number;
  /** Units per purchase. */
  readonly quantity: number;
  /** How many instances serve the load: the first ones. All of them when it is absent. */
  readonly instances?: number | undefined;
  /** No purchase begins after this time. */
  readonly seconds?: number | undefined;
  /** Whether buyers retry after 503 and 429. */
  readonly retry: boolean;
}

export interface Watcher {
  /** When aborted, no further purchase begins, and the purchases made until then are judged. */
  readonly stop: AbortSignal;
  readonly onSample?: (sample: Sample) => void;
  /** Gets the tally at the end, so that the caller can add up several runs. */
  readonly onTally?: (tally: OutcomeTally) => void;
}

export const SAMPLE_EVERY_MS = 500;
const DRAIN_WITHIN_MS = 20_000;
const LOOK_EVERY_MS = 50;
/** Requests whose clients hung up may still run: the audit must not change for this time. */
const STILL_MS = 500;

/** One strategy under one load: starts a new run, lets the crowd buy, waits until nothing is in flight, and judges the result. */
export async function runLoad(
  target: Target,
  strategy: string,
  load: Load,
  watcher: Watcher,
): Promise<LoadResult> {
  const { safe } = target.strategy(strategy);
  const runId = await target.reset(load.stock);
  const tally = new OutcomeTally(strategy, load.stock, Math.min(load.buyers, load.requests));
  await sampled(tally, watcher.onSample, () =>
    crowd(target, `/goods/${target.goodsId}/deduct/${strategy}`, load, tally, watcher.stop),
  );
  const stopped = watcher.stop.aborted;
  watcher.onTally?.(tally);
  const measured = tally.measured();
  const { unknown, refused } = measured.outcomes;
  const answered = performance.now();
  const audit = await settledAudit(target, unknown > 0);
  const drainMs = Math.round(performance.now() - answered);
  const books = reconcileReceipts(tally.orderIds, await target.soldOrderIds(), unknown);
  if (audit.runId !== runId || (await target.audit()).runId !== runId) {
    throw new LabError(
      'Another client reset the same goods during this run, so the run has no verdict. Run it again.',
    );
  }
  const verdict = runVerdict(audit.verdict, books);
  const instances = load.instances ?? instancesSeen(measured);
  return {
    strategy,
    promise: safe,
    verdict,
    oversoldBy: audit.oversoldBy,
    kept: isKept(verdict, safe, instances),
    explanation: explain({ verdict, audit, books, unknown, refused }),
    stopped,
    ...measured,
    drainMs,
    audit,
    books,
  };
}

/** Sends the load to this path. The load ends normally when `seconds` are over. */
export async function crowd(
  target: Target,
  path: string,
  load: Load,
  tally: OutcomeTally,
  stop: AbortSignal,
): Promise<void> {
  const { buyers, requests, retry, quantity, instances, seconds } = load;
  const purchase = {
    url: target.url,
    path,
    headers: target.headers(instances),
    body: JSON.stringify({ quantity }),
  };
  const timer = new AbortController();
  const timeout =
    seconds === undefined
      ? undefined
      : setTimeout(() => {
          timer.abort();
        }, seconds * 1000);
  await buyAll({ purchase, buyers, requests, retry }, tally, AbortSignal.any([stop, timer.signal]));
  clearTimeout(timeout);
}

async function sampled(
  tally: OutcomeTally,
  onSample: Watcher['onSample'],
  work: () => Promise<void>,
): Promise<void> {
  const timer =
    onSample &&
    setInterval(() => {
      onSample(tally.sample());
    }, SAMPLE_EVERY_MS);
  try {
    await work();
  } finally {
    clearInterval(timer);
  }
  onSample?.(tally.sample());
}

/** The audit, once every reservation in Redis is in the ledger or returned. */
async function settledAudit(target: Target, someHungUp: boolean): Promise<Audit> {
  const giveUpAt = performance.now() + DRAIN_WITHIN_MS;
  for (let before: Audit | undefined; ;) {
    const audit = await target.audit();
    const drained = audit.inFlight === 0;
    if (drained && (!someHungUp || isDeepStrictEqual(audit, before))) return audit;
    if (performance.now() > giveUpAt) return audit;
    before = audit;
    await sleep(someHungUp ? STILL_MS : LOOK_EVERY_MS);
  }
}

function instancesSeen({ perInstance }: LoadMeasurements): number {
  return Object.keys(perInstance).filter((name) => name !== GATEWAY).length;
}
