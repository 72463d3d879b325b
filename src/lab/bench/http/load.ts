import { FIRST_INSTANCES } from '../../engines/nginx.js';
import { buyAll } from '../../load/crowd.js';
import { type LoadRequest } from '../../load/buyer.js';
import { OutcomeTally } from '../../load/tally.js';
import { type Target } from '../../load/target.js';
import { until } from '../../until.js';
import { watchUtilization } from '../limits.js';
import { type Measured } from '../turns.js';

/** More than any measurement sells. */
export const AMPLE_STOCK = 1_000_000;

export interface HttpLoad {
  readonly buyers: number;
  readonly seconds: number;
  /** A number of instances, or the name of a group of instances. All instances when it is absent. */
  readonly servedBy?: string | number;
  /** For requests that differ from each other. */
  readonly each?: LoadRequest['each'];
  /** Count all answers that are no failures, and not only sales. */
  readonly countAnswers?: boolean;
}

/** Sales per second of one goods with the strategy: a new run each time, which has ended when this resolves. */
export async function sellBy(
  target: Target,
  strategy: string,
  load: HttpLoad,
  stop: AbortSignal,
): Promise<Measured | undefined> {
  target.strategy(strategy);
  await target.reset(AMPLE_STOCK);
  const measured = await post(target, `/goods/${target.goodsId}/deduct/${strategy}`, load, stop);
  // Orders that Redis has accepted are still being written: the next measurement must not pay for them.
  if (measured)
    await until('no order is in flight', async () => (await target.audit()).inFlight === 0, 60_000);
  return measured;
}

/** Receipts per second of a path, from buyers that each wait for an answer before they ask again. */
export async function post(
  target: Target,
  path: string,
  { buyers, seconds, servedBy, each, countAnswers = false }: HttpLoad,
  stop: AbortSignal,
): Promise<Measured | undefined> {
  const group = servedBy === undefined ? {} : { [FIRST_INSTANCES]: String(servedBy) };
  const purchase = {
    ...{ url: target.url, path, body: '{"quantity":1}' },
    headers: { ...target.headers(), ...group },
    ...(each && { each }),
  };
  const tally = new OutcomeTally(path, AMPLE_STOCK, buyers);
  const timer = new AbortController();
  const timeout = setTimeout(() => {
    timer.abort();
  }, seconds * 1000);
  const utilization = watchUtilization();
  try {
    const crowd = { purchase, buyers, requests: Infinity, retry: true };
    await buyAll(crowd, tally, AbortSignal.any([stop, timer.signal]));
  } finally {
    clearTimeout(timeout);
  }
  const { throughput, p99, fairness, attempts, outcomes, durationMs } = tally.measured();
  const answers = (outcomes.sold + outcomes.soldOut) / (durationMs / 1000);
  return stop.aborted
    ? undefined
    : {
        ...{ value: countAnswers ? answers : throughput, p99, utilization: utilization() },
        facts: { attempts: attempts.mean, slowestShare: fairness.slowestShare },
      };
}
