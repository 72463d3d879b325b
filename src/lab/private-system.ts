import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DataFolder } from './data-folder.js';
import { InstanceEngine } from './engines/instance.js';
import { whenAborted } from './interruption.js';
import { freePort, freePorts } from './ports.js';
import { ProcessReaper } from './processes/process-reaper.js';
import { type Report, Supervised } from './processes/supervisor.js';
import { type OptionalServer, serviceEnvironment, Servers } from './servers.js';
import { Shop } from './shop.js';

export interface PrivateSystemOptions {
  readonly instances: number;
  readonly report: Report;
  /** Further settings of the instances. */
  readonly env?: Readonly<Record<string, string>>;
  /** The servers in addition to the database; all by default. */
  readonly only?: readonly OptionalServer[];
  /** Further instances behind the same gateway: a request names their group in `x-first-instances`. */
  readonly groups?: readonly InstanceGroup[];
}

/** Instances that differ from the others in their settings or in their program. */
export interface InstanceGroup {
  readonly name: string;
  readonly instances: number;
  readonly env?: Readonly<Record<string, string>>;
  readonly program?: string;
}

export interface PrivateSystem {
  readonly servers: Servers;
  readonly database: string;
  readonly shop: Shop;
  readonly folder: DataFolder;
}

const DATABASE = 'lockstock';
/** A log line per request would slow the measured system down. */
const QUIET = { LOG_LEVEL: 'warn' };

/**
 * Starts servers and instances in a temporary folder, runs `work` on them, and removes everything in any case. Resolves
 * with undefined when `stop` is aborted before they are up.
 */
export async function withPrivateSystem<T>(
  { instances, report, env, only, groups = [] }: PrivateSystemOptions,
  stop: AbortSignal,
  work: (system: PrivateSystem) => Promise<T>,
): Promise<T | undefined> {
  const reaper = new ProcessReaper();
  const folder = new DataFolder(mkdtempSync(join(tmpdir(), 'lockstock-private-')));
  reaper.addFile(folder.path);
  const running: { stop(): Promise<void> }[] = [];
  const start = async (): Promise<PrivateSystem> => {
    await folder.occupy({ fresh: false });
    const servers = await Servers.start(folder, reaper, report, only && { only });
    running.push(servers);
    await servers.complete;
    const ports = await Promise.all(groups.map((group) => freePorts(group.instances)));
    const shop = await Shop.plan({
      folder,
      reaper,
      servers: servers.addresses,
      database: DATABASE,
      instances,
      port: await freePort(),
      report,
      env: { ...QUIET, ...env },
      groups: Object.fromEntries(groups.map(({ name }, index) => [name, ports[index] ?? []])),
    });
    running.push(shop);
    await shop.start();
    for (const [index, group] of groups.entries()) {
      const members = (ports[index] ?? []).map((port, member) => {
        const name = `${group.name}-${member + 1}`;
        const common = serviceEnvironment(servers.addresses, DATABASE);
        const engine = new InstanceEngine({
          ...{ name, port, reaper, program: group.program, logFile: folder.in(`logs/${name}.log`) },
          env: { ...common, ...QUIET, ...env, ...group.env },
        });
        return new Supervised(engine, report);
      });
      running.push(...members);
      await Promise.all(members.map((member) => member.start()));
    }
    return { servers, database: DATABASE, shop, folder };
  };
  try {
    const system = await Promise.race([start(), whenAborted(stop)]);
    return system ? await work(system) : undefined;
  } finally {
    for (const part of running.reverse()) await part.stop();
    await reaper.close();
  }
}
