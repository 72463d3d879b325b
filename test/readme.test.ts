import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ROOT } from '../src/lab/paths.js';
import { freePort } from '../src/lab/ports.js';
import { Command } from './support/command.js';
import { readText, shellCommands } from './support/markdown.js';

const PRINTS = new Map([
  [
    `curl -X POST localhost:8080/goods/1/deduct/for-update -H 'content-type: application/json' -d '{"quantity":1}'`,
    '"remaining":999',
  ],
  ['curl localhost:8080/goods/1/audit', '"verdict":"SAFE"'],
  ['npx lockstock load no-lock for-update --stock 60 --buyers 50 --requests 200', 'for-update: SAFE'],
  ['npx lockstock experiments pause.setnx-lua', 'OVERSOLD'],
  ['npx lockstock explore no-lock', 'OVERSOLD: 2 sold of 1'],
  ['npx lockstock doctor', 'Ready: npm start'],
]);

/** These two are not run below: one lab is started for all commands, and this file is part of `npm test`. */
const START = 'npm start';
const TEST = 'npm test';

let data: string;
let port: number;
let lab: Command;

/** Runs the line as a user types it, in a process group of its own. */
function type(command: string): Command {
  const line = command.replace('localhost:8080', `localhost:${port}`);
  return new Command(spawn('sh', ['-c', line], { cwd: ROOT, detached: true }));
}

/** The terminal sends the signal to every process of the group. */
function pressCtrlC({ child }: Command): void {
  process.kill(-(child.pid ?? NaN), 'SIGINT');
}

beforeAll(async () => {
  data = mkdtempSync(join(tmpdir(), 'lockstock-readme-'));
  port = await freePort();
  // Its own folder and port: a lab may already run in the default ones.
  lab = type(`${START} -- --data ${data} --port ${port} --instances 1`);
  await lab.says('Lockstock is ready');
}, 120_000);
afterAll(async () => {
  const { exitCode, signalCode } = lab.child;
  if (exitCode === null && signalCode === null) pressCtrlC(lab);
  await lab.ended;
  rmSync(data, { recursive: true, force: true });
}, 60_000);

test('every command in the README is tested here', () => {
  expect(shellCommands(readText('README.md'))).toEqual([START, TEST, ...PRINTS.keys()]);
});

test.each([...PRINTS])(
  '%s',
  async (command, text) => {
    const usesLab = command.startsWith('npx lockstock load');
    const typed = type(usesLab ? `${command} --data ${data}` : command);
    expect([await typed.ended, typed.said]).toEqual([0, expect.stringContaining(text)]);
  },
  120_000,
);

test('npm start prints the address of the page, and Ctrl-C ends it', async () => {
  expect(lab.said).toContain(`http://localhost:${port}`);
  pressCtrlC(lab);
  await lab.ended;
  expect(lab.said).toContain('nothing is left running');
});

test('npm test is what CI runs', () => {
  expect(readText('.ci/run')).toMatch(/^npm test\b/m);
  expect(readText('.github/workflows/ci.yml')).toContain('run: .ci/run');
});
