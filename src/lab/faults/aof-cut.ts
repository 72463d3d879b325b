import { statSync, truncateSync } from 'node:fs';
import { join } from 'node:path';
import { type ExperimentRun } from '../test-bed/experiment-run.js';
import { type Node } from '../topologies/node.js';
import { killServer } from './kill.js';

/** How much of a Redis' append-only file was on the disk, and where it is. */
export interface AofMark {
  readonly file: string;
  readonly bytes: number;
}

/** What a power cut would leave of the file if it came now: all that is in it so far. */
export async function markAof(node: Node): Promise<AofMark> {
  const file = await node.ask(async (client) => {
    const setting = async (name: string) => ((await client.config('GET', name)) as [string, string])[1];
    const [dir, folder, name] = [
      await setting('dir'),
      await setting('appenddirname'),
      await setting('appendfilename'),
    ];
    return join(dir, folder, `${name}.1.incr.aof`);
  });
  return { file, bytes: statSync(file).size };
}

/** kill -9, and the end of the file is lost as if it had never left the cache of the disk; then it starts again. */
export async function cutPower(run: ExperimentRun, node: Node, { file, bytes }: AofMark): Promise<void> {
  const held = await node.ask((client) => client.dbsize());
  await killServer(run, node);
  const { size } = statSync(file);
  truncateSync(file, bytes);
  run.proveFault('power-cut', 'the end of its file is lost', `${size} bytes, then ${bytes}`, size > bytes);
  await node.start();
  const left = await node.ask((client) => client.dbsize());
  run.proveFault('power-cut', `${node.name} has forgotten`, `${held} keys, then ${left}`, left < held);
}
