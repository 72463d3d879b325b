// `lockstock doctor`: what is installed, what is missing, how to install it. Node's core only, changes nothing.
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { isBuilt } from './build.js';
import { findCommand, findOptional, OPTIONAL_PROGRAMS, PROGRAMS } from './programs.js';

const ROOT = fileURLToPath(new URL('..', import.meta.url));

/** @typedef {{ok: boolean, optional?: boolean, what: string, found: string, remedy?: string}} Finding */

/** @param {number} port @returns {Promise<boolean>} */
function portIsFree(port) {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(false));
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
  });
}

/** @param {string} path @param {readonly string[]} args */
function versionOf(path, args) {
  const done = spawnSync(path, args, { encoding: 'utf8', timeout: 5000 });
  return `${done.stdout}${done.stderr}`.trim().split('\n')[0]?.slice(0, 90) ?? '';
}

/** @returns {Promise<Finding[]>} */
async function examine() {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  const k6 = findCommand('k6');
  const docker = findCommand('docker');
  return [
    {
      ok: major > 20 || (major === 20 && minor >= 19),
      what: 'Node',
      found: process.versions.node,
      remedy: 'install Node 20.19 or newer',
    },
    {
      ok: existsSync(join(ROOT, 'node_modules/.package-lock.json')),
      what: 'npm packages',
      found: 'node_modules',
      remedy: 'run npm ci (npm start does this)',
    },
    ...PROGRAMS.map((program) => {
      const path = findCommand(...program.commands);
      return {
        ok: path !== undefined,
        what: program.name,
        found: path ? versionOf(path, program.version) : '',
        remedy: `sudo apt-get install ${program.packages[0]} (npm start does this if it has root or sudo): ${program.why}`,
      };
    }),
    ...OPTIONAL_PROGRAMS.map((program) => {
      const path = findOptional(program);
      return {
        ok: path !== undefined,
        optional: true,
        what: program.name,
        found: path && program.commands.length > 0 ? versionOf(path, program.version) : (path ?? ''),
        remedy: `optional, ${program.why}: sudo apt-get install --no-install-recommends ${program.packages[0]}`,
      };
    }),
    {
      ok: isBuilt(),
      what: 'build',
      found: 'dist is current',
      remedy: 'run npm run build (npm start does this)',
    },
    {
      ok: await portIsFree(8080),
      optional: true,
      what: 'port 8080',
      found: 'free',
      remedy: 'in use: npm start uses the next free port, or the one given with --port',
    },
    {
      ok: k6 !== undefined,
      optional: true,
      what: 'k6',
      found: k6 ? versionOf(k6, ['version']) : '',
      remedy: 'only for the scripts in load-tests/: https://grafana.com/docs/k6/latest/set-up/install-k6/',
    },
    {
      ok: docker !== undefined,
      optional: true,
      what: 'Docker',
      found: docker ? versionOf(docker, ['--version']) : '',
      remedy: 'only for docker compose up',
    },
  ];
}

/** Prints the findings; returns whether everything required is installed. */
export async function doctor() {
  const findings = await examine();
  const colour = process.stdout.isTTY && !process.env['NO_COLOR'];
  /** @param {number} code @param {string} text */
  const paint = (code, text) => (colour ? `\x1b[${code}m${text}\x1b[0m` : text);
  for (const { ok, optional, what, found, remedy } of findings) {
    const mark = ok ? paint(32, 'ok     ') : optional ? paint(33, 'absent ') : paint(31, 'missing');
    console.log(`${mark}  ${what.padEnd(14)}${ok ? found : (remedy ?? '')}`);
  }
  const healthy = findings.every(({ ok, optional }) => ok || optional);
  console.log(
    healthy
      ? '\nReady: npm start'
      : '\nNot ready: npm start installs what it can, and prints the command for the rest.',
  );
  return healthy;
}
