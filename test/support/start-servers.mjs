// Once for all tests: private servers, in folders that are removed afterwards. Jest runs this outside its own module
// system, so it uses the compiled lab.
import { accessSync, constants, mkdtempSync, readdirSync, statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { DataFolder } from '../../dist/src/lab/data-folder.js';
import { ProcessReaper } from '../../dist/src/lab/processes/process-reaper.js';
import { Servers } from '../../dist/src/lab/servers.js';

const MEMORY = '/dev/shm';
/** Enough for the servers of one worker, and for those that its tests start. */
const ROOM_PER_WORKER = 2 * 2 ** 30;

export default async function startServers({ maxWorkers, testPathPattern }) {
  const workers = Math.max(1, Math.min(maxWorkers, filesMatching(testPathPattern)));
  // Inherited by the workers and their children. The servers wait for the disk at each commit. No test cuts the power, and
  // what a killed process has written is kept in memory as well as on a disk.
  if (isRoomy(MEMORY, workers * ROOM_PER_WORKER)) process.env['TMPDIR'] = MEMORY;
  // One set for each worker: test files that run at the same time share no keys, locks or connections.
  const started = await Promise.all(Array.from({ length: workers }, startSet));
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

/** The number of test files that the command line selects: `npm test -- orders` needs the servers of one worker. */
function filesMatching(pattern) {
  const folder = fileURLToPath(new URL('..', import.meta.url));
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' });
  const selected = new RegExp(pattern, 'i');
  return files.filter((file) => file.endsWith('.test.ts') && selected.test(join(folder, file))).length;
}

function isRoomy(folder, room) {
  try {
    accessSync(folder, constants.W_OK);
    const { bavail, bsize } = statfsSync(folder);
    return bavail * bsize >= room;
  } catch {
    return false;
  }
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
