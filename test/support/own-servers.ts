import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DataFolder } from '../../src/lab/data-folder.js';
import { ProcessReaper } from '../../src/lab/processes/process-reaper.js';
import { Servers } from '../../src/lab/servers.js';
import { TestShop } from './test-shop.js';

/** Private servers in a folder that is removed afterwards, for a test that stops or breaks servers. */
export async function startOwnServers(): Promise<{
  readonly own: Servers;
  readonly folder: DataFolder;
  readonly close: () => Promise<void>;
}> {
  const reaper = new ProcessReaper();
  const folder = new DataFolder(mkdtempSync(join(tmpdir(), 'lockstock-outage-')));
  reaper.addFile(folder.path);
  await folder.occupy({ fresh: false });
  const own = await Servers.start(folder, reaper, () => undefined);
  await own.complete;
  return {
    own,
    folder,
    close: async () => {
      await own.stop();
      await reaper.close();
    },
  };
}

/** A shop with two instances on servers of its own. */
export async function openOnOwnServers(env: Record<string, string> = {}): Promise<{
  readonly own: Servers;
  readonly shop: TestShop;
  readonly close: () => Promise<void>;
}> {
  const { own, close } = await startOwnServers();
  const shop = await TestShop.open({ instances: 2, servers: own.addresses, env });
  return {
    own,
    shop,
    close: async () => {
      await shop.close();
      await close();
    },
  };
}
