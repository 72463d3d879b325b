// `npm run screenshots`: takes the pictures in docs/images from a private lab. Needs Chromium, as `npm test` does.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { chromium } from 'playwright-core';
import { findCommand, OPTIONAL_PROGRAMS } from './programs.js';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const IMAGES = join(ROOT, 'docs/images');
const WAIT_MS = 300_000;
const DESK = { width: 1280, height: 860 };
const PHONE = { width: 390, height: 844 };

/** @typedef {import('playwright-core').Page} Page */
/** @typedef {{name: string, viewport?: {width: number, height: number}, dark?: boolean, locale?: string, take: (page: Page, url: string) => Promise<void>}} Picture */

/** @param {Page} page */
async function demonstrate(page) {
  await page.locator('.demo button.primary').click();
  await page.locator('.shelf[data-verdict=SAFE]').waitFor();
}

/** @param {Page} page @param {string} url @param {string[]} strategies */
async function run(page, url, strategies) {
  const load = 'stock=300&buyers=50&requests=1500';
  await page.goto(`${url}/#/run?strategies=${strategies.join(',')}&${load}`);
  await page.locator('.run-form button.primary').click();
  await page.locator('.run-state.done').waitFor();
}

/** @param {Page} page @param {string} url @param {string} id */
async function tell(page, url, id) {
  await page.goto(`${url}/#/experiments/${id}?step=5`);
  await page.locator('.story').scrollIntoViewIfNeeded();
}

/** @type {readonly Picture[]} */
const PICTURES = [
  { name: 'page', take: demonstrate },
  { name: 'page-phone-zh', viewport: PHONE, dark: true, locale: 'zh-CN', take: demonstrate },
  { name: 'run', take: (page, url) => run(page, url, ['no-lock', 'for-update', 'redis-lua']) },
  {
    name: 'strategies',
    dark: true,
    take: async (page, url) => {
      await page.goto(`${url}/#/strategies`);
      await page.locator('.card').first().waitFor();
    },
  },
  { name: 'experiment', take: (page, url) => tell(page, url, 'pause.setnx-lua') },
  {
    name: 'matrix',
    take: async (page, url) => {
      await page.goto(`${url}/#/experiments`);
      await page.locator('.matrix').waitFor();
    },
  },
];

async function freePort() {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  return typeof address === 'object' && address ? address.port : 0;
}

/** @param {string} data @param {number} port */
async function startLab(data, port) {
  const args = [join(ROOT, 'bin/lockstock.js'), 'up', '--data', data, '--port', String(port)];
  const lab = spawn(process.execPath, args, {
    env: { ...process.env, NO_COLOR: '1' },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let said = '';
  for await (const chunk of lab.stdout) {
    said += String(chunk);
    const token = /admin token {2}(\S+)\n/.exec(said)?.[1];
    if (token !== undefined) return { lab, token };
  }
  throw new Error('The lab did not start.');
}

const executablePath = findCommand(
  ...(OPTIONAL_PROGRAMS.find(({ name }) => name === 'Chromium')?.commands ?? []),
);
if (executablePath === undefined) throw new Error('Chromium is missing: sudo apt-get install chromium');
const data = mkdtempSync(join(tmpdir(), 'lockstock-pictures-'));
const port = await freePort();
const { lab, token } = await startLab(data, port);
const browser = await chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-gpu'] });
try {
  const url = `http://localhost:${port}`;
  for (const { name, viewport = DESK, dark = false, locale = 'en-US', take } of PICTURES) {
    const page = await browser.newPage({ viewport, locale, colorScheme: dark ? 'dark' : 'light' });
    page.setDefaultTimeout(WAIT_MS);
    await page.goto(`${url}/#token=${token}`);
    await page.locator('.lab-pill.good').waitFor();
    await take(page, url);
    await page.screenshot({ path: join(IMAGES, `${name}.png`) });
    await page.close();
    console.log(`docs/images/${name}.png`);
  }
} finally {
  const stopped = once(lab, 'close');
  lab.kill('SIGINT');
  await browser.close();
  await stopped;
  rmSync(data, { recursive: true, force: true });
}
