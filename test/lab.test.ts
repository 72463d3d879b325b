import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findShop } from '../bin/k6-shop.js';
import { choosePort, freePort } from '../src/lab/ports.js';
import { ROOT } from '../src/lab/paths.js';
import { isAlive, type ProcessId } from '../src/lab/processes/proc.js';
import { Command } from './support/command.js';
import { processesAbout } from './support/processes-about.js';
import { servers } from './support/test-shop.js';

let data: string;
let port: number;
beforeAll(async () => {
  // With blanks, which the path of a folder may have.
  data = mkdtempSync(join(tmpdir(), 'lockstock up '));
  port = await freePort();
});
afterAll(() => {
  rmSync(data, { recursive: true, force: true });
});

const up = (...args: string[]) =>
  Command.run(['up', '--data', data, '--port', String(port), '--instances', '1', ...args]);

interface Note {
  readonly lab: ProcessId;
  readonly reaper: ProcessId;
  readonly children: ProcessId[];
}
const note = () => JSON.parse(readFileSync(join(data, 'lab.json'), 'utf8')) as Note;

/** An instance that has just started on a busy machine may answer 503: nothing was sold, and the buyer retries. */
async function sellOne(): Promise<{ remaining: number }> {
  for (;;) {
    const response = await fetch(`http://localhost:${port}/goods/1/deduct/for-update`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '{"quantity":1}',
    });
    const answer = (await response.json()) as { remaining: number };
    if (response.status !== 503) return answer;
  }
}

test('starts, sells, restarts what crashes, stops at Ctrl-C and leaves nothing running; the next start has the same data', async () => {
  const first = up();
  await first.says('Lockstock is ready');
  expect(first.said).toContain(`http://localhost:${port}`);
  expect(first.said).toMatch(/admin token {2}\S{16,}/);
  expect(await sellOne()).toMatchObject({ remaining: 999 });
  const { children } = note();
  // MariaDB, Redis, five masters for Redlock, one instance, nginx, and etcd and ZooKeeper where they are installed.
  const coordination = [servers.etcdUrl, servers.zookeeperUrl].filter((url) => url !== undefined).length;
  expect(children.length).toBe(9 + coordination);

  const instance = children.find(({ pid }) =>
    readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('dist/src/main.js'),
  );
  process.kill(instance?.pid ?? NaN, 'SIGKILL');
  await first.says('instance-1');
  await first.says('runs again');
  expect(first.said).toContain('died: ended by SIGKILL. Restarting it.');
  expect(await sellOne()).toMatchObject({ remaining: 998 });

  first.child.kill('SIGINT');
  expect(await first.ended).toBe(0);
  expect(first.said).toContain('nothing is left running');
  expect(children.filter(isAlive)).toEqual([]);
  expect(existsSync(join(data, 'lab.json'))).toBe(false);

  const second = up();
  await second.says('Lockstock is ready');
  expect(await sellOne()).toMatchObject({ remaining: 997 });
  second.child.kill('SIGTERM');
  expect(await second.ended).toBe(0);
});

test('with ADMIN_TOKEN it uses that token, it warns of settings that it does not use, and `load` and k6 find it', async () => {
  const given = 'a-token-from-the-environment';
  const args = ['up', '--data', data, '--port', String(port), '--instances', '1'];
  const lab = Command.run(args, { ...process.env, ADMIN_TOKEN: given, STRATEGIES: 'for-update', PORT: '1' });
  await lab.says('Lockstock is ready');
  expect(lab.said).toMatch(
    /sets PORT, STRATEGIES, which the lab does not use.* Choose the port with --port\./,
  );
  expect(await findShop({}, data)).toEqual({ BASE_URL: `http://localhost:${port}`, ADMIN_TOKEN: given });
  const load = Command.run(['load', 'sql-atomic', '--data', data, '--buyers', '2', '--requests', '10']);
  expect([await load.ended, load.said]).toEqual([0, expect.stringContaining('sql-atomic: SAFE')]);
  lab.child.kill('SIGINT');
  expect(await lab.ended).toBe(0);
});

test('a gateway whose master process is killed restarts, and no worker process of the old one is left', async () => {
  const lab = up();
  await lab.says('Lockstock is ready');
  const master = note().children.find(({ pid }) =>
    readFileSync(`/proc/${pid}/cmdline`, 'utf8').startsWith('nginx: master'),
  );
  process.kill(master?.pid ?? NaN, 'SIGKILL');
  await lab.says('nginx runs again');
  expect(await sellOne()).toHaveProperty('remaining');
  lab.child.kill('SIGINT');
  expect(await lab.ended).toBe(0);
  expect(lab.said.match(/nginx .* died/g)).toHaveLength(1);
  // The port is free: no worker of either gateway listens on it.
  expect(await choosePort(port, false)).toBe(port);
});

test('after kill -9 of the lab no process is left, and the next start works at once', async () => {
  const first = up();
  await first.says('Lockstock is ready');
  const { children, reaper } = note();
  first.child.kill('SIGKILL');
  await first.ended;
  const second = up();
  await second.says('Lockstock is ready');
  expect([...children, reaper].filter(isAlive)).toEqual([]);
  expect(await sellOne()).toHaveProperty('remaining');

  const beside = up();
  expect(await beside.ended).toBe(1);
  expect(beside.said).toContain(`A lab already runs in ${data}`);

  // The reaper is killed as well, so the next start must clean up.
  const left = note();
  process.kill(left.reaper.pid, 'SIGKILL');
  second.child.kill('SIGKILL');
  await second.ended;
  const third = up();
  await third.says('Lockstock is ready');
  expect(left.children.filter(isAlive)).toEqual([]);
  third.child.kill('SIGINT');
  expect(await third.ended).toBe(0);
});

test('Ctrl-C during the start stops all processes', async () => {
  const started = up();
  await started.says('starting 1 instances');
  const { children } = note();
  started.child.kill('SIGINT');
  expect(await started.ended).toBe(0);
  expect(children.filter(isAlive)).toEqual([]);
});

test('a server that cannot start is reported, and the other servers are stopped', async () => {
  const files = join(data, 'redis', 'appendonlydir');
  renameSync(files, `${files}.aside`);
  writeFileSync(files, 'no folder');
  const refused = up();
  expect(await refused.ended).toBe(1);
  expect(refused.said).toContain('Redis');
  expect(refused.said).not.toContain('    at ');
  expect(processesAbout(data)).toEqual([]);
  rmSync(files);
  renameSync(`${files}.aside`, files);
});

test('a port that is in use is reported', async () => {
  const squatter = createServer();
  squatter.listen(port, '127.0.0.1');
  await once(squatter, 'listening');
  const refused = up();
  expect(await refused.ended).toBe(1);
  expect(refused.said).toContain(`Port ${port} is in use`);
  squatter.close();
});

test('a folder that is not a lab’s stays unchanged, even with --fresh', async () => {
  const foreign = join(data, 'foreign');
  mkdirSync(foreign);
  writeFileSync(join(foreign, 'thesis.txt'), 'years of work');
  const refused = Command.run(['up', '--fresh', '--data', foreign]);
  expect(await refused.ended).toBe(1);
  expect(refused.said).toContain('not a lab');
  expect(readFileSync(join(foreign, 'thesis.txt'), 'utf8')).toBe('years of work');
});

test('help and doctor work, and an unknown command is refused', async () => {
  for (const [args, code, text] of [
    [['--help'], 0, 'Commands:'],
    [['up', '--help'], 0, '--instances'],
    [['doctor', '--help'], 0, 'Changes nothing'],
    [['doctor'], 0, 'MariaDB'],
    [['doctor'], 0, 'ZooKeeper'],
    [['dance'], 2, 'unknown command "dance"'],
  ] as const) {
    const command = Command.run(args);
    expect([args, await command.ended]).toEqual([args, code]);
    expect(command.said).toContain(text);
  }
});

test('experiments are listed by what they show; no server starts', async () => {
  const list = Command.run(['experiments', '--list', 'P3']);
  expect(await list.ended).toBe(0);
  expect(list.said).toContain('pause.setnx-lua');
  expect(list.said).not.toContain('starting');
});

test('the set-up without servers and without apt lists what to install', async () => {
  const bare = mkdtempSync(join(tmpdir(), 'lockstock-bare-'));
  const setUp = new Command(
    spawn(process.execPath, [join(ROOT, 'bin/setup.js')], { env: { PATH: bare, LOCKSTOCK_ONLY_PATH: '1' } }),
  );
  expect(await setUp.ended).toBe(1);
  expect(setUp.said).toContain('MariaDB, MariaDB tools, Redis, nginx not found');
  expect(setUp.said).toContain('mariadbd, my_print_defaults, redis-server, nginx with');
  rmSync(bare, { recursive: true });
});
