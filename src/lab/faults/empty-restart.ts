import { type ExperimentRun } from '../test-bed/experiment-run.js';
import { type Node } from '../topologies/node.js';
import { killServer } from './kill.js';

/** kill -9 and restart of a server without persistence: its data is lost. */
export async function restartEmpty(run: ExperimentRun, node: Node): Promise<void> {
  const held = await node.ask((client) => client.keys('*'));
  run.proveFault('empty-restart', `${node.name} held keys`, `${held.length} keys`, held.length > 0);
  const before = await runId(node);
  await killServer(run, node);
  await node.start();
  const after = await runId(node);
  run.proveFault(
    'empty-restart',
    `${node.name} is a new process`,
    `run ${after.slice(0, 8)}`,
    after !== before,
  );
  // Only the old keys count: the instances may have written new ones since.
  const left = await node.ask((client) => client.exists(...held));
  run.proveFault(
    'empty-restart',
    `${node.name} has lost its keys`,
    `${left} of ${held.length} keys are left`,
    left === 0,
  );
}

/** Redis creates a new run id at every start. */
async function runId(node: Node): Promise<string> {
  const info = await node.ask((client) => client.info('server'));
  return /run_id:(\w+)/.exec(info)?.[1] ?? '';
}
