import { type ExperimentRun } from '../test-bed/experiment-run.js';
import { type Node } from '../topologies/node.js';
import { killServer } from './kill.js';

/** kill -9 and a new start of a server that keeps no file: what it held is gone. */
export async function restartEmpty(run: ExperimentRun, node: Node): Promise<void> {
  const held = await node.ask((client) => client.keys('*'));
  run.proveFault('empty-restart', `${node.name} held something`, `${held.length} keys`, held.length > 0);
  const before = await runId(node);
  await killServer(run, node);
  await node.start();
  const after = await runId(node);
  run.proveFault(
    'empty-restart',
    `${node.name} is another process`,
    `run ${after.slice(0, 8)}`,
    after !== before,
  );
  // What the instances may have written since is another matter: their lock is not among it.
  const left = await node.ask((client) => client.exists(...held));
  run.proveFault(
    'empty-restart',
    `${node.name} has forgotten`,
    `${left} of ${held.length} keys are left`,
    left === 0,
  );
}

/** Redis makes a new one at every start. */
async function runId(node: Node): Promise<string> {
  const info = await node.ask((client) => client.info('server'));
  return /run_id:(\w+)/.exec(info)?.[1] ?? '';
}
