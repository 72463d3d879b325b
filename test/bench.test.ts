import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readReport } from '../src/lab/bench/files.js';
import { LockWorkers } from '../src/lab/bench/locks/workers.js';
import { ROOT } from '../src/lab/paths.js';
import { ProcessReaper } from '../src/lab/processes/process-reaper.js';
import { Command } from './support/command.js';
import { processesAbout } from './support/processes-about.js';
import { servers } from './support/test-shop.js';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'lockstock-bench-test-'));
});
afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
});

/** Temporary folders of the command are created in one that no other test uses. */
const bench = (...args: string[]) =>
  Command.run(['bench', '--out', join(folder, 'out'), ...args], { ...process.env, TMPDIR: folder });

test('Ctrl-C ends every server, and the report has what was measured until then', async () => {
  const command = bench('--only', 'http', '--seconds', '1', '--rounds', '100', '--buyers', '4', '--quick');
  await command.says('round 2 of 100');
  command.child.kill('SIGINT');
  expect([await command.ended, command.said]).toEqual([
    130,
    expect.stringContaining('Interrupted: the report'),
  ]);
  expect(processesAbout(folder)).toEqual([]);
  expect(readdirSync(folder)).toEqual(['out']);
  const { complete, parts, bars } = readReport(join(folder, 'out/bench.json'));
  expect(complete).toBe(false);
  expect(parts[0]?.tables[0]?.points.map(({ name }) => name)).toEqual(
    expect.arrayContaining([
      'no-op POST',
      'bare no-op POST',
      'for-update',
      'redis-lua',
      'mysql2: for-update',
    ]),
  );
  expect(bars.every(({ ratio }) => ratio !== undefined)).toBe(true);
  const written = readFileSync(join(folder, 'out/bench.md'), 'utf8');
  expect(written).toContain('stopped before the end');
  for (const [, picture = ''] of written.matchAll(/!\[.*?\]\((.*?)\)/g))
    expect(existsSync(join(folder, 'out', picture))).toBe(true);
});

test('SIGTERM while the servers start leaves nothing running', async () => {
  const command = bench('--only', 'http');
  const servers = join(folder, 'lockstock-private-');
  while (processesAbout(servers).length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
  command.child.kill('SIGTERM');
  expect([await command.ended, command.said]).toEqual([130, expect.stringContaining('before anything was')]);
  expect(processesAbout(servers)).toEqual([]);
});

test('a process that is started while the lab stops is ended', async () => {
  const reaper = new ProcessReaper();
  await reaper.close();
  const late = spawn('sleep', ['60'], { detached: true, stdio: 'ignore' });
  reaper.add(late.pid ?? 0);
  const [, signal] = (await once(late, 'exit')) as [number | null, string | null];
  expect(signal).toBe('SIGKILL');
});

test('processes contend for one lock, and every caller of a RedisLock is served', async () => {
  const reaper = new ProcessReaper();
  const workers = await LockWorkers.start(2, { REDIS_URL: servers.redisLabUrl, PEERS: '' }, reaper);
  expect(workers.announcement.contenders).toEqual(expect.arrayContaining(['bare SET NX', 'FairRedisLock']));
  const trial = { contender: 'RedisLock', key: `bench:${folder}`, callers: 5, seconds: 0.5 };
  const results = await workers.run(trial, 2);
  expect(results.map(({ starved, error }) => [starved, error])).toEqual([
    [0, undefined],
    [0, undefined],
  ]);
  for (const { cycles, waits } of results) expect(waits.length).toBeGreaterThanOrEqual(cycles);
  await reaper.close();
  await expect(workers.run(trial, 2)).rejects.toThrow();
});

test('packages that cannot be installed are left out, with the reason', async () => {
  const offline = new Command(
    spawn(
      process.execPath,
      [
        ...['--input-type=module', '--eval'],
        `import { peerPackages } from ${JSON.stringify(join(ROOT, 'dist/src/lab/bench/locks/peer-packages.js'))};
         console.log(String(await peerPackages(new AbortController().signal, ${JSON.stringify(folder)})));`,
      ],
      {
        env: {
          ...process.env,
          npm_config_registry: 'http://127.0.0.1:9/',
          npm_config_cache: join(folder, 'npm'),
        },
      },
    ),
  );
  await offline.ended;
  expect(offline.said).toMatch(
    /could not be installed \(.+\)\. The locks are measured without them[^]*undefined/,
  );
});
