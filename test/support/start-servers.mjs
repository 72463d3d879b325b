// Once for all tests: private servers, in a folder that is gone afterwards. Jest runs this outside its own module
// system, so it takes the compiled lab.
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DataFolder } from '../../dist/src/lab/data-folder.js';
import { Guard } from '../../dist/src/lab/processes/guard.js';
import { Servers } from '../../dist/src/lab/servers.js';

export default async function startServers() {
  const guard = new Guard();
  const folder = new DataFolder(mkdtempSync(join(tmpdir(), 'lockstock-test-')));
  guard.addFile(folder.path);
  await folder.occupy({ fresh: false });
  const servers = await Servers.start(folder, guard, (message) => process.stderr.write(`${message}\n`));
  await servers.complete;
  for (const [name, there] of Object.entries({ etcd: servers.etcd, zookeeper: servers.zookeeper })) {
    if (!there)
      process.stderr.write(
        `\n*** NOT RUN: the tests of ${name}, which is not installed: npx lockstock doctor ***\n\n`,
      );
  }
  process.env['LOCKSTOCK_TEST_SERVERS'] = JSON.stringify(servers.addresses);
  globalThis.stopTestServers = async () => {
    await servers.stop();
    await guard.close();
  };
}
