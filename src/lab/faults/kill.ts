import { type Buyer } from '../test-bed/buyer.js';
import { type Instance } from '../test-bed/instance.js';
import { type ExperimentRun } from '../test-bed/experiment-run.js';
import { stateOf } from '../processes/proc.js';
import { type Supervised } from '../processes/supervisor.js';
import { type Node } from '../topologies/node.js';
import { until } from '../until.js';

const GONE_WITHIN_MS = 5000;
const BACK_WITHIN_MS = 60_000;

/** Its instance dies: on the very line where the buyer is held, or wherever it stands if the buyer waits. */
export async function kill(run: ExperimentRun, buyer: Buyer): Promise<void> {
  const { name, at } = buyer;
  const { pid } = at;
  if (buyer.place === undefined) at.signal('SIGKILL');
  else buyer.act({ do: 'kill' });
  await gone(at);
  run.fault(at.name, `SIGKILL: ${at.name} is dead`, `${name} killed`);
  proveGone(run, at.name, pid);
  await buyer.answer();
}

/** kill -9 of a server that nobody starts again. */
export async function killServer(run: ExperimentRun, node: Node): Promise<void> {
  const { name, pid } = node;
  node.signal('SIGKILL');
  await gone(node);
  proveGone(run, name, pid);
}

/** kill -9 of a process that its supervisor starts again; answers when it is back, with both their numbers. */
export async function killUntilBack(
  victim: Supervised,
): Promise<{ readonly old: number; readonly new: number }> {
  const { pid: old = 0 } = victim;
  victim.signal('SIGKILL');
  const back = () => Promise.resolve(victim.pid !== old && stateOf(old) === undefined && victim.pid);
  return { old, new: await until(`${victim.name} is back`, back, BACK_WITHIN_MS) };
}

/** Until the lab, as its parent, has heard of its end: only then are its ports free, too. */
async function gone(victim: Instance | Node): Promise<void> {
  await until(`${victim.name} is gone`, () => Promise.resolve(!victim.running), GONE_WITHIN_MS);
}

function proveGone(run: ExperimentRun, name: string, pid: number): void {
  const state = stateOf(pid);
  run.proveFault(
    'crash',
    `${name} is dead`,
    `process ${pid}: ${state ?? 'gone'}`,
    pid > 0 && state === undefined,
  );
}
