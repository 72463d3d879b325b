#!/usr/bin/env node
// `npm run k6 -- <script>`: runs a script of load-tests/ with k6 against a running shop, or against a private one.
// Uses Node's own modules only, unless it starts a private shop.
import { spawn } from 'node:child_process';
import { mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { findRunner } from './k6-runner.js';
import { findShop, ShopError } from './k6-shop.js';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const SETTINGS = [
  'STRATEGY',
  'STRATEGIES',
  'GOODS',
  'STOCK',
  'VUS',
  'REQUESTS',
  'DURATION',
  'COPIES',
  'STRICT',
  'BASE_URL',
  'ADMIN_TOKEN',
  'REPORT',
];
const INSTANCES = 3;

const scripts = readdirSync(join(ROOT, 'load-tests'))
  .filter((file) => file.endsWith('.ts'))
  .map((file) => file.slice(0, -'.ts'.length));

const HELP = `Usage: npm run k6 -- <script> [-e NAME=value …] [-- <options of k6>]

Scripts:
  strategy      one strategy: REQUESTS purchases by VUS buyers
  all           every strategy in turn under the same load
  spike         a flash sale: VUS buyers at once for a stock far below demand
  ramp          the number of buyers rises to VUS and falls again
  soak          a moderate load for a long time
  mixed-goods   several goods at once, and baskets if the strategy supports them
  retry-storm   every purchase is sent COPIES times with the same key, and must be sold once

Settings (every setting has a default):
  STRATEGY=sql-atomic      the strategy; \`all\` uses STRATEGIES=a,b,c instead
  STOCK=1000               of each goods          GOODS=1         ids, separated by commas
  VUS=50                   buyers at once         REQUESTS=2000   total number of purchases
  DURATION=5m              of ramp and soak       COPIES=3        of retry-storm
  STRICT=1                 also fail for strategies without a promise
  BASE_URL, ADMIN_TOKEN    the shop to test; default: the lab that runs in .lab, or else a private one
  REPORT=file.json         the report; default reports/k6-<script>.json

Uses k6 from PATH. Without it, uses the k6 profile of docker compose, which tests the shop of compose.
The exit code is 0 when all thresholds passed, 99 when one failed, and another code when the run failed.
`;

/** A mistake that the user can correct; the message says how. */
class UsageError extends Error {}

/** @param {string[]} args */
function parse(args) {
  const { values, positionals } = read(args);
  const rest = args.indexOf('--');
  const own = rest < 0 ? positionals : positionals.slice(0, positionals.length - (args.length - rest - 1));
  const [script, ...more] = own;
  if (values.help) return { help: true, script: '', env: {}, options: [] };
  if (script === undefined) throw new UsageError(`Name a script: ${scripts.join(', ')}.`);
  if (!scripts.includes(script)) {
    throw new UsageError(
      `There is no script ${JSON.stringify(script)}. The scripts are: ${scripts.join(', ')}.`,
    );
  }
  if (more.length > 0) {
    throw new UsageError(
      `Unexpected argument ${JSON.stringify(more[0])}. Settings are written as -e NAME=value.`,
    );
  }
  const env = Object.fromEntries((values.env ?? []).map(setting));
  return { help: false, script, env, options: rest < 0 ? [] : args.slice(rest + 1) };
}

/** @param {string[]} args */
function read(args) {
  try {
    return parseArgs({
      args,
      allowPositionals: true,
      options: { env: { type: 'string', short: 'e', multiple: true }, help: { type: 'boolean', short: 'h' } },
    });
  } catch (error) {
    const [what] = (error instanceof Error ? error.message : '').split('.');
    throw new UsageError(
      `${what}. Options of k6 itself go after \`--\`. Run \`npm run k6 -- --help\` for more.`,
    );
  }
}

/** @param {string} text @returns {[string, string]} */
function setting(text) {
  const [name = '', ...value] = text.split('=');
  if (!SETTINGS.includes(name)) {
    throw new UsageError(
      `There is no setting ${JSON.stringify(name)}. The settings are: ${SETTINGS.join(', ')}.`,
    );
  }
  if (value.length === 0) throw new UsageError(`-e ${name} needs a value: -e ${name}=value.`);
  return [name, value.join('=')];
}

/**
 * Runs k6 until it exits. A Ctrl-C on the terminal also reaches k6, which ends the load and still writes its summary.
 * @param {import('./k6-runner.js').Command} command
 * @returns {Promise<number>}
 */
function run({ program, args, env }) {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { stdio: 'inherit', cwd: ROOT, env: { ...process.env, ...env } });
    for (const signal of /** @type {const} */ (['SIGINT', 'SIGTERM', 'SIGHUP'])) {
      process.on(signal, () => {
        if (signal !== 'SIGINT' || !process.stdin.isTTY) child.kill(signal);
      });
    }
    child.once('error', reject);
    child.once('exit', (code) => resolve(code ?? 130));
  });
}

/** @param {{script: string, env: Record<string, string>, options: string[]}} request */
async function main({ script, env, options }) {
  const runner = findRunner();
  mkdirSync(join(ROOT, 'reports'), { recursive: true });
  const given = { ...process.env, ...env };
  if (runner.kind === 'compose') {
    const url = given['BASE_URL'];
    if (url) throw new ShopError(`k6 runs in a container here and tests the shop of compose, not ${url}.`);
    return run(runner.command(script, env, options));
  }
  const shop = await findShop(given, join(ROOT, '.lab'));
  if (shop) return run(runner.command(script, { ...env, ...shop }, options));
  return withPrivateShop((own) => run(runner.command(script, { ...env, ...own }, options)));
}

/** @param {(shop: {BASE_URL: string, ADMIN_TOKEN: string}) => Promise<number>} work */
async function withPrivateShop(work) {
  const stop = new AbortController();
  const give = () => stop.abort();
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, give);
  console.error('k6: no lab is running, starting a private one …');
  const { setUpOrExit } = await import('./setup.js');
  setUpOrExit();
  const module = new URL('../dist/src/lab/private-system.js', import.meta.url).href;
  /** @type {typeof import('../src/lab/private-system.js')} */
  const lab = await import(module);
  /** @param {string} message */
  const report = (message) => console.error(`k6: ${message}`);
  try {
    const code = await lab.withPrivateSystem({ instances: INSTANCES, report }, stop.signal, ({ shop }) =>
      work({ BASE_URL: shop.url, ADMIN_TOKEN: shop.adminToken }),
    );
    return code ?? 130;
  } finally {
    console.error('k6: the private lab has stopped; nothing is left running.');
  }
}

try {
  const request = parse(process.argv.slice(2));
  if (request.help) console.log(HELP);
  else process.exitCode = await main(request);
} catch (error) {
  const known = error instanceof UsageError || error instanceof ShopError;
  console.error(`k6: ${known ? error.message : String(error)}`);
  process.exitCode = error instanceof UsageError ? 2 : 1;
}
