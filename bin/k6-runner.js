// Finds a way to run k6: the program, or the container of docker-compose.yml.
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ShopError } from './k6-shop.js';
import { findCommand } from './programs.js';

const ROOT = fileURLToPath(new URL('..', import.meta.url));

/**
 * @typedef {object} Command
 * @property {string} program
 * @property {string[]} args
 * @property {Record<string, string>} env
 *
 * @typedef {object} Runner
 * @property {'program' | 'compose'} kind
 * @property {(script: string, env: Record<string, string>, options: string[]) => Command} command
 */

/** @returns {Runner} */
export function findRunner() {
  const k6 = findCommand('k6');
  if (k6) return { kind: 'program', command: (...request) => programCommand(k6, ...request) };
  const docker = findCommand('docker');
  if (docker && succeeds(docker, 'info') && succeeds(docker, 'compose', 'version')) {
    if (succeeds(docker, 'compose', '--profile', 'k6', 'config', '--quiet')) {
      return { kind: 'compose', command: (...request) => composeCommand(docker, ...request) };
    }
    throw new ShopError(
      'k6 is not on PATH, and docker compose has no .env file. Install k6, or create .env as the top of .env.example shows.',
    );
  }
  throw new ShopError(
    'Neither k6 nor docker compose is installed. https://grafana.com/docs/k6/latest/set-up/install-k6/ ' +
      'shows how to install k6. `npx lockstock load` needs neither.',
  );
}

/**
 * Settings are passed in the environment: the token must not be in the process list.
 * @param {string} k6 @param {string} script @param {Record<string, string>} env @param {string[]} options
 * @returns {Command}
 */
function programCommand(k6, script, env, options) {
  const quiet = process.stdout.isTTY ? [] : ['--quiet'];
  return {
    program: k6,
    args: ['run', '--no-usage-report', ...quiet, ...options, join('load-tests', `${script}.ts`)],
    env,
  };
}

/**
 * The container tests the shop of compose, and starts it when it does not run.
 * @param {string} docker @param {string} script @param {Record<string, string>} env @param {string[]} options
 * @returns {Command}
 */
function composeCommand(docker, script, env, options) {
  // Without --user, the report would belong to the user of the image, who does not exist on this machine.
  const user = process.getuid && process.getgid ? ['--user', `${process.getuid()}:${process.getgid()}`] : [];
  const reports = ['--volume', `${join(ROOT, 'reports')}:/reports`];
  const settings = { REPORT: `/reports/k6-${script}.json`, ...env };
  const names = Object.keys(settings).flatMap((name) => ['--env', name]);
  const run = ['run', '--rm', ...user, ...reports, ...names, 'k6', 'run', ...options, `${script}.ts`];
  return { program: docker, args: ['compose', '--profile', 'k6', ...run], env: settings };
}

/** @param {string} command @param {string[]} args */
function succeeds(command, ...args) {
  return spawnSync(command, args, { cwd: ROOT, stdio: 'ignore', timeout: 20_000 }).status === 0;
}
