// Once for all tests: private servers, in folders that are gone afterwards. Jest runs this outside its own module
// system, so it takes the compiled lab.
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DataFolder } from '../../dist/src/lab/data-folder.js';
import { ProcessReaper } from '../../dist/src/lab/processes/process-reaper.js';
import { Servers } from '../../dist/src/lab/servers.js';

export default async function startServers({ maxWorkers }) {
  // One set for each worker, so that no test file meets the keys, locks or connections of another.
  const started = await Promise.all(Array.from({ length: maxWorkers }, startSet));
  const [{ servers }] = started;
  for (const [name, there] of Object.entries({ etcd: servers.etcd, zookeeper: servers.zookeeper })) {
    if (!there)
      process.stderr.write(
        `\n*** NOT RUN: the tests of ${name}, which is not installed: npx lockstock doctor ***\n\n`,
      );
  }
  process.env['LOCKSTOCK_TEST_SERVERS'] = JSON.stringify(started.map(({ servers }) => servers.addresses));
  globalThis.stopTestServers = async () => {
    await Promise.all(started.map(({ servers }) => servers.stop()));
    await Promise.all(started.map(({ reaper }) => reaper.close()));
  };
}

async function startSet() {
  const reaper = new ProcessReaper();
  const folder = new DataFolder(mkdtempSync(join(tmpdir(), 'lockstock-test-')));
  reaper.addFile(folder.path);
  await folder.occupy({ fresh: false });
  const servers = await Servers.start(folder, reaper, (message) => process.stderr.write(`${message}\n`));
  await servers.complete;
  return { servers, reaper };
}
