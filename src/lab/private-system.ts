import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DataFolder } from './data-folder.js';
import { whenAborted } from './interruption.js';
import { freePort } from './ports.js';
import { ProcessReaper } from './processes/process-reaper.js';
import { type Report } from './processes/supervisor.js';
import { Servers } from './servers.js';
import { Shop } from './shop.js';

export interface PrivateSystemOptions {
  readonly instances: number;
  readonly report: Report;
  /** Further settings of the instances. */
  readonly env?: Readonly<Record<string, string>>;
}

export interface PrivateSystem {
  readonly servers: Servers;
  readonly database: string;
  readonly shop: Shop;
}

const DATABASE = 'lockstock';
/** A log line per request would slow the measured system down. */
const QUIET = { LOG_LEVEL: 'warn' };

/**
 * Starts servers and instances in a temporary folder, runs `work` on them, and removes everything in any case. Resolves
 * with undefined when `stop` is aborted before they are up.
 */
export async function withPrivateSystem<T>(
  { instances, report, env }: PrivateSystemOptions,
  stop: AbortSignal,
  work: (system: PrivateSystem) => Promise<T>,
): Promise<T | undefined> {
  const reaper = new ProcessReaper();
  const folder = new DataFolder(mkdtempSync(join(tmpdir(), 'lockstock-private-')));
  reaper.addFile(folder.path);
  const running: { stop(): Promise<void> }[] = [];
  const start = async (): Promise<PrivateSystem> => {
    await folder.occupy({ fresh: false });
    const servers = await Servers.start(folder, reaper, report);
    running.push(servers);
    await servers.complete;
    const shop = await Shop.plan({
      folder,
      reaper,
      servers: servers.addresses,
      database: DATABASE,
      instances,
      port: await freePort(),
      report,
      env: { ...QUIET, ...env },
    });
    running.push(shop);
    await shop.start();
    return { servers, database: DATABASE, shop };
  };
  try {
    const system = await Promise.race([start(), whenAborted(stop)]);
    return system ? await work(system) : undefined;
  } finally {
    for (const part of running.reverse()) await part.stop();
    await reaper.close();
  }
}
