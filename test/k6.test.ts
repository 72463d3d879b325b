import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { findShop } from '../bin/k6-shop.js';
import { DataFolder } from '../src/lab/data-folder.js';
import { ROOT } from '../src/lab/paths.js';
import { freePort } from '../src/lab/ports.js';
import { ProcessReaper } from '../src/lab/processes/process-reaper.js';
import { TestShop } from './support/test-shop.js';

const WRONG_TOKEN = 'not-the-token-of-this-shop';

let shop: TestShop;
let folder: string;
beforeAll(async () => {
  shop = await TestShop.open({ instances: 1 });
  folder = mkdtempSync(join(tmpdir(), 'lockstock-k6-'));
  mkdirSync(join(folder, 'bin'));
  mkdirSync(join(folder, 'empty'));
  // Replaces k6, which is not installed on every machine: it records its arguments and environment, and fails as k6 does.
  const standIn = `#!/bin/sh\necho "$BASE_URL $ADMIN_TOKEN $STOCK" > ${folder}/env\necho "$@" > ${folder}/args\nexit 99\n`;
  writeFileSync(join(folder, 'bin/k6'), standIn, { mode: 0o755 });
});
afterAll(async () => {
  rmSync(folder, { recursive: true, force: true });
  await shop.close();
});

interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** `npm run k6 -- …` with this PATH. */
function k6(
  args: string[],
  { path = 'bin', ...env }: NodeJS.ProcessEnv & { path?: string } = {},
): Promise<Ended> {
  const child = spawn(process.execPath, [join(ROOT, 'bin/k6.js'), ...args], {
    env: { PATH: [join(folder, path), dirname(process.execPath), '/bin'].join(delimiter), ...env },
  });
  let stdout = '';
  let stderr = '';
  child.stdout.on('data', (text: Buffer) => (stdout += text.toString()));
  child.stderr.on('data', (text: Buffer) => (stderr += text.toString()));
  return new Promise((resolve) => {
    child.once('close', (code) => {
      resolve({ code, stdout, stderr });
    });
  });
}

test('--help lists scripts and settings', async () => {
  const { code, stdout } = await k6(['--help']);
  expect(code).toBe(0);
  for (const script of ['strategy', 'all', 'spike', 'ramp', 'soak', 'mixed-goods', 'retry-storm']) {
    expect(stdout).toMatch(new RegExp(`^ {2}${script} `, 'm'));
  }
});

test.each([
  ['no script', [], /^k6: Name a script: all, .*\.$/],
  [
    'an unknown script',
    ['../x'],
    /^k6: There is no script "\.\.\/x"\. The scripts are: all, mixed-goods, .*\.$/,
  ],
  [
    'a setting that is none',
    ['spike', '-e', 'STOK=1'],
    /^k6: There is no setting "STOK"\. The settings are: STRATEGY, .*\.$/,
  ],
  ['a setting without a value', ['spike', '-e', 'STOCK'], /^k6: -e STOCK needs a value: -e STOCK=value\.$/],
  [
    'an option that is none',
    ['spike', '--vus', '3'],
    /^k6: Unknown option '--vus'\. Options of k6 itself go after .*$/,
  ],
  [
    'more than a script',
    ['spike', 'STOCK=1'],
    /^k6: Unexpected argument "STOCK=1"\. Settings are written as -e NAME=value\.$/,
  ],
])('%s is refused with one line and exit code 2', async (_, args, message) => {
  const { code, stdout, stderr } = await k6(args);
  expect(stderr.trimEnd()).toMatch(message);
  expect(stderr.trimEnd()).not.toContain('\n');
  expect(stdout).toBe('');
  expect(code).toBe(2);
});

test('without k6 and docker, one line says how to install k6', async () => {
  const { code, stderr } = await k6(['spike'], {
    PATH: join(folder, 'empty'),
    LOCKSTOCK_ONLY_PATH: '1',
    BASE_URL: shop.url,
  });
  expect(stderr).toMatch(
    /^k6: Neither k6 nor docker compose is installed\. https:\/\/grafana\.com\/docs\/k6\/.*\n$/,
  );
  expect(code).toBe(1);
});

test('a server that does not answer is reported in one line', async () => {
  const url = `http://127.0.0.1:${await freePort()}`;
  const { code, stderr } = await k6(['spike'], { BASE_URL: url, ADMIN_TOKEN: WRONG_TOKEN });
  expect(stderr).toBe(`k6: ${url} does not answer. Is the shop running?\n`);
  expect(code).toBe(1);
});

test('a wrong token is reported in one line and not shown', async () => {
  const { code, stderr } = await k6(['spike', '-e', `ADMIN_TOKEN=${WRONG_TOKEN}`], { BASE_URL: shop.url });
  expect(stderr).toBe(
    `k6: the shop at ${shop.url} does not accept ADMIN_TOKEN: it is not the token of this shop.\n`,
  );
  expect(code).toBe(1);
});

test('an unknown strategy is refused in one line that lists the strategies', async () => {
  const env = { BASE_URL: shop.url, ADMIN_TOKEN: shop.shop.adminToken };
  const { code, stderr } = await k6(['all', '-e', 'STRATEGIES=mutex,what'], env);
  expect(stderr).toMatch(/^k6: there is no strategy "what"\. The strategies are: no-lock, .*\.\n$/);
  expect(code).toBe(1);
});

test('BASE_URL without ADMIN_TOKEN is refused', async () => {
  const { code, stderr } = await k6(['spike'], { BASE_URL: shop.url });
  expect(stderr).toMatch(/^k6: ADMIN_TOKEN is missing: .*\n$/);
  expect(code).toBe(1);
});

test('k6 gets the script, the settings in its environment and its own options, and its exit code is returned', async () => {
  const token = shop.shop.adminToken;
  const env = { BASE_URL: `${shop.url}/`, ADMIN_TOKEN: token };
  const { code, stderr } = await k6(['spike', '-e', 'STOCK=3', '--', '--log-output', 'none'], env);
  expect(stderr).toBe('');
  expect(readFileSync(join(folder, 'env'), 'utf8')).toBe(`${shop.url} ${token} 3\n`);
  const args = readFileSync(join(folder, 'args'), 'utf8');
  expect(args).toMatch(/^run .*--log-output none load-tests\/spike\.ts\n$/);
  expect(args).not.toContain(token);
  expect(code).toBe(99);
});

describe('the lab in a folder', () => {
  let lab: string;
  const reaper = new ProcessReaper();
  /** The test process takes the part of the lab that was started with the shop's token. */
  beforeEach(() => {
    lab = mkdtempSync(join(folder, 'lab-'));
    process.env['ADMIN_TOKEN'] = shop.shop.adminToken;
    new DataFolder(lab).sign(reaper, shop.url);
    delete process.env['ADMIN_TOKEN'];
  });
  afterAll(() => reaper.close());

  test('is found by its lab.json, with its token', async () => {
    expect(await findShop({}, lab)).toEqual({ BASE_URL: shop.url, ADMIN_TOKEN: shop.shop.adminToken });
    expect(new DataFolder(lab).occupied).toEqual({ url: shop.url, adminToken: shop.shop.adminToken });
  });

  test('has a lab.json that only its owner can read', () => {
    expect(statSync(join(lab, 'lab.json')).mode & 0o777).toBe(0o600);
  });

  test('is not found after it was killed, even when another process has its process id', async () => {
    const path = join(lab, 'lab.json');
    const note = JSON.parse(readFileSync(path, 'utf8')) as { lab: object };
    writeFileSync(path, JSON.stringify({ ...note, lab: { ...note.lab, startedAt: '1' } }));
    expect(await findShop({}, lab)).toBeUndefined();
  });

  test('does not reveal its token for another address', async () => {
    await expect(findShop({ BASE_URL: 'http://127.0.0.1:9' }, lab)).rejects.toThrow('ADMIN_TOKEN is missing');
  });
});
