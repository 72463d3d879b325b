import { statSync, truncateSync } from 'node:fs';
import { join } from 'node:path';
import { type ExperimentRun } from '../test-bed/experiment-run.js';
import { type Node } from '../topologies/node.js';
import { killServer } from './kill.js';

/** The append-only file of a Redis and its length at one moment. */
export interface AofMark {
  readonly file: string;
  readonly bytes: number;
}

/** Marks what a power cut at this moment would leave of the file. */
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

/** kill -9; the file is cut back to the mark, as if the rest had never left the disk cache; then Redis restarts. */
export async function cutPower(run: ExperimentRun, node: Node, { file, bytes }: AofMark): Promise<void> {
  const held = await node.ask((client) => client.dbsize());
  await killServer(run, node);
  const { size } = statSync(file);
  truncateSync(file, bytes);
  run.proveFault('power-cut', 'the end of its file is lost', `${size} bytes, then ${bytes}`, size > bytes);
  await node.start();
  const left = await node.ask((client) => client.dbsize());
  run.proveFault('power-cut', `${node.name} has lost its keys`, `${held} keys, then ${left}`, left < held);
}
