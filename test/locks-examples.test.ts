import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { LAB_ACCOUNT } from '../src/lab/engines/mariadb.js';
import { ROOT } from '../src/lab/paths.js';
import { labConnection } from '../src/lab/servers.js';
import { isHere } from './support/optional-servers.js';
import { asLab, servers } from './support/test-shop.js';

const LOCKS = join(ROOT, 'src/locks');
const examples = readdirSync(join(LOCKS, 'examples')).map((file) => basename(file, '.ts'));

const database = `lockstock_examples_${process.pid}`;
const environment = {
  PATH: process.env['PATH'],
  REDIS_URL: servers.redisLabUrl,
  REDLOCK_URLS: servers.redlockUrls.map(asLab).join(),
  DATABASE_URL: `mysql://${LAB_ACCOUNT}:${servers.secrets.labPassword}@127.0.0.1:${servers.databasePort}/${database}`,
  ETCD_URL: servers.etcdLabUrl,
  ZOOKEEPER_URL: servers.zookeeperUrl,
};

async function inDatabase(sql: string): Promise<void> {
  const connection = await labConnection(servers);
  await connection.query(sql);
  await connection.end();
}
beforeAll(() => inDatabase(`CREATE DATABASE ${database}`));
afterAll(() => inDatabase(`DROP DATABASE ${database}`));

/** The output that the comment at the top of an example announces. */
function promised(name: string): string {
  const text = readFileSync(join(LOCKS, 'examples', `${name}.ts`), 'utf8');
  const lines = /^ \* Prints:\n((?: \* {3}.+\n)+) \*\/$/m.exec(text)?.[1] ?? '';
  return lines.replaceAll(/^ \* {3}/gm, '');
}

/** The compiled program, as a reader of the README runs it. */
async function run(name: string): Promise<{ code: number | null; said: string; complained: string }> {
  const program = join(ROOT, 'dist/src/locks/examples', `${name}.js`);
  const child = spawn(process.execPath, [program], { env: environment });
  const heard = { said: '', complained: '' };
  child.stdout.on('data', (text) => (heard.said += String(text)));
  child.stderr.on('data', (text) => (heard.complained += String(text)));
  const [code] = (await once(child, 'close', { signal: AbortSignal.timeout(50_000) }).finally(() =>
    child.kill('SIGKILL'),
  )) as [number | null];
  return { code, ...heard };
}

test.each(examples.filter(isHere))('the example %s prints the announced output, and ends', async (name) => {
  expect(promised(name).split('\n').length).toBeGreaterThan(2);
  expect(await run(name)).toEqual({ code: 0, said: promised(name), complained: '' });
});

test('the README links every example', () => {
  const readme = readFileSync(join(LOCKS, 'README.md'), 'utf8');
  const linked = [...readme.matchAll(/\]\(examples\/([\w-]+)\.ts\)/g)].map(([, name]) => name);
  expect([...new Set(linked)].sort()).toEqual([...examples].sort());
});
