import { type Buyer } from '../test-bed/buyer.js';
import { type Instance } from '../test-bed/instance.js';
import { type ExperimentRun } from '../test-bed/experiment-run.js';
import { stateOf } from '../processes/proc.js';
import { type Supervised } from '../processes/supervisor.js';
import { type Node } from '../topologies/node.js';
import { until } from '../until.js';

const GONE_WITHIN_MS = 5000;
const BACK_WITHIN_MS = 60_000;

/** Kills the buyer's instance: at the checkpoint where the request is held, or anywhere while it waits. */
export async function kill(run: ExperimentRun, buyer: Buyer): Promise<void> {
  const { name, at } = buyer;
  const { pid } = at;
  if (buyer.place === undefined) at.signal('SIGKILL');
  else buyer.act({ do: 'kill' });
  await gone(at);
  run.fault(at.name, `SIGKILL: ${at.name} is killed`, `${name} killed`);
  proveGone(run, at.name, pid);
  await buyer.answer();
}

/** kill -9 of a server that is not restarted. */
export async function killServer(run: ExperimentRun, node: Node): Promise<void> {
  const { name, pid } = node;
  node.signal('SIGKILL');
  await gone(node);
  proveGone(run, name, pid);
}

/** kill -9 of a process that its supervisor restarts; resolves after the restart with both process ids. */
export async function killUntilBack(
  victim: Supervised,
): Promise<{ readonly old: number; readonly new: number }> {
  const { pid: old = 0 } = victim;
  victim.signal('SIGKILL');
  const back = () => Promise.resolve(victim.pid !== old && stateOf(old) === undefined && victim.pid);
  return { old, new: await until(`${victim.name} has restarted`, back, BACK_WITHIN_MS) };
}

/** Waits for the exit event: only then are its ports free. */
async function gone(victim: Instance | Node): Promise<void> {
  await until(`${victim.name} is gone`, () => Promise.resolve(!victim.running), GONE_WITHIN_MS);
}

function proveGone(run: ExperimentRun, name: string, pid: number): void {
  const state = stateOf(pid);
  run.proveFault(
    'crash',
    `${name} is killed`,
    `process ${pid}: ${state ?? 'gone'}`,
    pid > 0 && state === undefined,
  );
}
