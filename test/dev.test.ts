import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '../src/lab/ports.js';
import { Command } from './support/command.js';
import { CopiedProject } from './support/copied-project.js';
import { eventually } from './support/eventually.js';
import { processesAbout } from './support/processes-about.js';

const STRATEGY = 'src/strategies/unsafe/no-lock.ts';
const TITLE = 'Read, compute, write back';
const CHANGED = 'A changed title';
const STYLE = 'web/styles/base.css';
const INSTANCES = 2;
/** Checking the types of all sources takes long on a busy machine. */
const CHECK_MS = 300_000;
jest.setTimeout(2 * CHECK_MS);

let project: CopiedProject;
let strategy: string;
let data: string;
let url: string;
let dev: Command;
beforeAll(async () => {
  project = new CopiedProject();
  strategy = readFileSync(project.in(STRATEGY), 'utf8');
  data = mkdtempSync(join(tmpdir(), 'lockstock dev '));
  const port = await freePort();
  url = `http://localhost:${port}`;
  const options = ['--data', data, '--port', String(port), '--instances', String(INSTANCES)];
  dev = new Command(spawn(process.execPath, [project.in('bin/lockstock.js'), 'dev', ...options]));
  await dev.says('Lockstock is ready');
  await dev.says('watching src/, web/ and migrations/');
});
afterAll(async () => {
  if (dev.child.exitCode === null) dev.child.kill('SIGINT');
  await dev.ended;
  project.remove();
  rmSync(data, { recursive: true, force: true });
});

/** Saves the strategy's file with another title, and with this text at its end. */
const save = (title: string, end = '') => {
  writeFileSync(project.in(STRATEGY), strategy.replace(TITLE, title) + end);
};
const saidSince = (start: number) => dev.said.slice(start);
const restarts = () => dev.said.split('one by one').length - 1;

interface Served {
  readonly instance: string;
  readonly title: string;
}
async function strategies(): Promise<Served> {
  const response = await fetch(`${url}/strategies`, { headers: { connection: 'close' } });
  expect(response.status).toBe(200);
  const list = (await response.json()) as { name: string; title: string }[];
  return {
    instance: response.headers.get('x-instance') ?? '',
    title: list.find(({ name }) => name === 'no-lock')?.title ?? '',
  };
}

test('each instance has a debugger on a loopback port, which is printed', async () => {
  const ports = /debuggers +(.+)/.exec(dev.said)?.[1]?.split(', ') ?? [];
  expect(ports).toHaveLength(INSTANCES);
  for (const address of ports) {
    const about = (await (await fetch(`http://${address}/json/list`)).json()) as { title: string }[];
    expect(about.map(({ title }) => title)).toEqual([expect.stringContaining('main.js')]);
  }
});

test('a changed style is served without a restart', async () => {
  writeFileSync(project.in(STYLE), `/* changed */\n${readFileSync(project.in(STYLE), 'utf8')}`);
  await eventually('the new style is served', async () => {
    const response = await fetch(`${url}/styles/base.css`);
    return (await response.text()).startsWith('/* changed */');
  });
  expect(restarts()).toBe(0);
});

test('changed service code restarts the instances one by one, and every request is answered meanwhile', async () => {
  save(CHANGED);
  const changed = new Set<string>();
  let requests = 0;
  await eventually(
    'both instances serve the new title',
    async () => {
      const { instance, title } = await strategies();
      requests += 1;
      if (title === CHANGED) changed.add(instance);
      return changed.size === INSTANCES;
    },
    CHECK_MS,
  );
  expect(requests).toBeGreaterThan(INSTANCES);
  expect(restarts()).toBe(1);
});

test.each([
  ['a type error', '\nexport const wrong: number = "text";\n', 'error TS2322'],
  ['a syntax error', '\nexport const = 1;\n', 'error TS1134'],
])('%s is shown, and the instances keep the last build', async (_what, mistake, message) => {
  const start = dev.said.length;
  save('A mistake', mistake);
  await eventually('the error is shown', () => saidSince(start).includes('keep the last build'), CHECK_MS);
  expect(saidSince(start)).toContain(message);
  expect(saidSince(start)).toContain(STRATEGY);
  for (let count = 0; count < 2 * INSTANCES; count += 1) expect((await strategies()).title).toBe(CHANGED);
});

test('the next change without errors is applied', async () => {
  save(TITLE);
  await eventually(
    'an instance serves the title',
    async () => (await strategies()).title === TITLE,
    CHECK_MS,
  );
  await eventually(
    'the second restart is complete',
    () => restarts() === 2 && /done in[^\n]+\n$/.test(dev.said),
    CHECK_MS,
  );
});

test('when an instance does not start with the new code, the reason is shown and the others answer', async () => {
  const start = dev.said.length;
  save(TITLE, "\nif (process.pid > 0) throw new Error('planted failure');\n");
  await eventually('the reason is shown', () => saidSince(start).includes('planted failure'), CHECK_MS);
  expect(saidSince(start)).toContain('instance-1 did not start');
  for (let count = 0; count < 2 * INSTANCES; count += 1) expect((await strategies()).title).toBe(TITLE);
  save(TITLE);
  const seen = new Set<string>();
  await eventually(
    'all instances answer again',
    async () => {
      seen.add((await strategies()).instance);
      return seen.size === INSTANCES;
    },
    CHECK_MS,
  );
});

test('Ctrl-C stops everything and leaves nothing running', async () => {
  dev.child.kill('SIGINT');
  expect(await dev.ended).toBe(0);
  expect(dev.said).toContain('nothing is left running');
  expect([...processesAbout(data), ...processesAbout(project.root)]).toEqual([]);
});
