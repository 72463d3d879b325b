import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readReport } from '../src/lab/bench/files.js';
import { ProcessReaper } from '../src/lab/processes/process-reaper.js';
import { Command } from './support/command.js';
import { processesAbout } from './support/processes-about.js';

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
