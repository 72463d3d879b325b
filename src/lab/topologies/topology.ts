import { rmSync } from 'node:fs';
import { type DataFolder, type Secrets } from '../data-folder.js';
import { Redis } from '../engines/redis.js';
import { type ProcessReaper } from '../processes/process-reaper.js';
import { Node } from './node.js';

export interface TopologyOptions {
  readonly folder: DataFolder;
  readonly secrets: Pick<Secrets, 'redisPassword' | 'labPassword'>;
  readonly reaper: ProcessReaper;
}

/** The folder, port and accounts of one server of a topology. Files of an earlier server in its folder are removed. */
export function place({ folder, secrets, reaper }: TopologyOptions, name: string, port: number) {
  const home = folder.in(name);
  rmSync(home, { recursive: true, force: true });
  return {
    name,
    folder: home,
    logFile: folder.in(`logs/${name}.log`),
    port,
    servicePassword: secrets.redisPassword,
    labPassword: secrets.labPassword,
    reaper,
  };
}

export function redisNode(
  options: TopologyOptions,
  name: string,
  port: number,
  settings: readonly string[] = [],
  env?: NodeJS.ProcessEnv,
): Node {
  return new Node(new Redis({ ...place(options, name, port), settings, ...(env && { env }) }));
}

/** The hosts and ports of several servers, as in a URL. */
export function hosts(nodes: readonly Node[]): string {
  return nodes.map((node) => `127.0.0.1:${node.port}`).join(',');
}

/** Whether the replica has completed its first synchronisation and receives further writes. */
export async function inStep(replica: Node): Promise<boolean> {
  const info = await replica.ask((client) => client.info('replication'));
  return info.includes('master_link_status:up');
}
