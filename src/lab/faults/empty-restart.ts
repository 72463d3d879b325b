import { type Scene } from '../experiments/scene.js';
import { type Node } from '../topologies/node.js';

/** kill -9 and a new start of a server that keeps no file: what it held is gone. */
export async function restartEmpty(scene: Scene, node: Node): Promise<void> {
  const held = await node.ask((client) => client.dbsize());
  scene.prove(`${node.name} held something`, `${held} keys`, held > 0);
  const before = await runId(node);
  await node.kill();
  scene.prove(`${node.name} is dead`, node.running ? 'it runs' : 'gone', !node.running);
  await node.start();
  const after = await runId(node);
  scene.prove(`${node.name} is another process`, `run ${after.slice(0, 8)}`, after !== before);
}

/** Redis makes a new one at every start. */
async function runId(node: Node): Promise<string> {
  const info = await node.ask((client) => client.info('server'));
  return /run_id:(\w+)/.exec(info)?.[1] ?? '';
}
