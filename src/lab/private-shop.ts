import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DataFolder } from './data-folder.js';
import { freePort } from './ports.js';
import { Guard } from './processes/guard.js';
import { Servers } from './servers.js';
import { Shop } from './shop.js';

export interface PrivateShop {
  readonly url: string;
  readonly adminToken: string;
}

export interface PrivateShopOptions {
  readonly instances: number;
  readonly report: (message: string) => void;
  /** Aborted when nobody wants the shop any more. */
  readonly signal: AbortSignal;
}

/** A shop with servers of its own for one job. Its folder, servers and instances are gone afterwards. */
export async function withPrivateShop<T>(
  { instances, report, signal }: PrivateShopOptions,
  work: (shop: PrivateShop) => Promise<T>,
): Promise<T> {
  const guard = new Guard();
  const folder = new DataFolder(mkdtempSync(join(tmpdir(), 'lockstock-private-')));
  guard.addFile(folder.path);
  const running: { stop(): Promise<void> }[] = [];
  try {
    await folder.occupy({ fresh: false });
    const servers = await Servers.start(folder, guard, report);
    running.unshift(servers);
    signal.throwIfAborted();
    const shop = await Shop.start({
      folder,
      guard,
      servers: servers.addresses,
      database: 'lockstock',
      instances,
      port: await freePort(),
      report,
      // A line per request would be measured, too.
      env: { LOG_LEVEL: 'warn' },
    });
    running.unshift(shop);
    signal.throwIfAborted();
    return await work(shop);
  } finally {
    for (const part of running) await part.stop();
    await guard.close();
  }
}
