import { setTimeout as sleep } from 'node:timers/promises';
import { type ClientLog } from '../client/log.js';
import { longestLeaseMs, SLACK_MS } from '../judge/bounds.js';
import { type FuzzKind } from '../kinds/kind.js';
import { type Plan } from '../plan/plan.js';
import { type Inspector } from './inspector.js';
import { type Proxied } from './proxied.js';
import { type WorkerProcess } from './worker-process.js';

interface ClosedRun {
  readonly kind: FuzzKind;
  readonly plan: Plan;
  readonly prefix: string;
  readonly inspector: Inspector;
  readonly workers: readonly WorkerProcess[];
  readonly log: ClientLog;
  readonly proxied: readonly Proxied[];
}

/** The locks of a process share one timer for the deadlines of all leases; Node keeps one of its own for IPC. */
const SHARED_TIMERS = 2;

/**
 * Logs what a run has left behind although everything was closed. Leases may take their time to end. Only the pauses between
 * two looks count: a look asks every server and worker, so a machine that stalls makes looks longer, not pauses fewer.
 */
export async function lookForLeftovers(run: ClosedRun): Promise<void> {
  const longest = longestLeaseMs(run.plan) + SLACK_MS;
  let left = await leftovers(run);
  for (let waited = 0, pause = 5; left.length > 0 && waited < longest; pause = Math.min(pause * 2, 100)) {
    await sleep(pause);
    waited += pause;
    left = await leftovers(run);
  }
  for (const what of left) run.log.run({ type: 'left behind', what });
}

async function leftovers({ kind, prefix, inspector, workers, proxied }: ClosedRun): Promise<string[]> {
  const connections = proxied.reduce((sum, each) => sum + each.connections, 0);
  const timers = await Promise.all(workers.map((worker) => worker.timers()));
  return [
    ...(await inspector.leftBehind(kind, prefix)),
    ...(connections > 0 ? [`${connections} connections`] : []),
    ...timers
      .filter(({ length }) => length > SHARED_TIMERS)
      .map((setBy) => `${setBy.length} timers in a worker process, set by: ${setBy.join('; ')}`),
  ];
}
