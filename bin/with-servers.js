// Starts private servers, runs programs one after the other with the servers' addresses in their environment, and stops
// the servers:
// node bin/with-servers.js dist/src/locks/examples/fair.js …
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';

/** @param {string} file */
const compiled = (file) => import(new URL(`../dist/src/lab/${file}`, import.meta.url).href);

/** @typedef {import('../src/lab/data-folder.js')} Folders */
/** @typedef {import('../src/lab/processes/process-reaper.js')} Guards */
/** @typedef {import('../src/lab/servers.js')} Stores */

/**
 * With the lab's accounts, so that a program may use any key and create any table.
 * @param {import('../src/lab/servers.js').ServerAddresses} addresses @param {string} database
 */
function environment(
  { redisLabUrl, redlockUrls, databasePort, secrets, etcdLabUrl, zookeeperUrl },
  database,
) {
  const { username, password } = new URL(redisLabUrl);
  const asLab = redlockUrls.map((url) => Object.assign(new URL(url), { username, password }).href);
  return {
    REDIS_URL: redisLabUrl,
    REDLOCK_URLS: asLab.join(','),
    DATABASE_URL: `mysql://lockstock_lab:${secrets.labPassword}@127.0.0.1:${databasePort}/${database}`,
    ...(etcdLabUrl !== undefined && { ETCD_URL: etcdLabUrl }),
    ...(zookeeperUrl !== undefined && { ZOOKEEPER_URL: zookeeperUrl }),
  };
}

/** @param {string} program @param {Record<string, string>} env */
async function run(program, env) {
  const name = basename(program, '.js');
  if (['etcd', 'zookeeper'].includes(name) && !(`${name.toUpperCase()}_URL` in env)) {
    console.log(`\n${name}: not run, because its server is not installed`);
    return 0;
  }
  console.log(`\n${name}`);
  const child = spawn(process.execPath, [program], { env: { ...process.env, ...env }, stdio: 'inherit' });
  const [code] = await once(child, 'exit');
  return Number(code ?? 1);
}

const programs = process.argv.slice(2);
const missing = programs.find((program) => !existsSync(program));
if (programs.length === 0 || missing !== undefined) {
  console.error(
    missing === undefined
      ? 'with-servers: name at least one compiled program, such as dist/src/locks/examples/fair.js.'
      : `with-servers: there is no program ${JSON.stringify(missing)}. The programs take no options.`,
  );
  process.exit(2);
}
/** @type {[Folders, Guards, Stores]} */
const [{ DataFolder }, { ProcessReaper }, { Servers, labConnection }] = await Promise.all([
  compiled('data-folder.js'),
  compiled('processes/process-reaper.js'),
  compiled('servers.js'),
]);
const reaper = new ProcessReaper();
const folder = new DataFolder(mkdtempSync(join(tmpdir(), 'lockstock-programs-')));
reaper.addFile(folder.path);
await folder.occupy({ fresh: false });
const servers = await Servers.start(folder, reaper, (message) => {
  console.error(message);
});
try {
  await servers.complete;
  const connection = await labConnection(servers.addresses);
  await connection.query('CREATE DATABASE programs');
  await connection.end();
  const env = environment(servers.addresses, 'programs');
  for (const program of programs) process.exitCode = (await run(program, env)) || process.exitCode;
} finally {
  await servers.stop();
  await reaper.close();
}
