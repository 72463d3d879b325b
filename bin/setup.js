// Installs what `npm start` and `npm test` need, once: packages, servers, build. Uses Node's own modules only.
// It installs programs and never starts, stops or changes a server.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build, isBuilt } from './build.js';
import { findCommand, missingOptional, missingPrograms } from './programs.js';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const LOCK = join(ROOT, 'package-lock.json');
const INSTALLED = join(ROOT, 'node_modules/.package-lock.json');
const INSTALLED_STAMP = join(ROOT, 'node_modules/.lockstock-lock');
/** Lists optional programs that apt could not install, so that they are not tried again at every start. */
const GIVEN_UP = join(ROOT, 'node_modules/.lockstock-without');
const POLICY = '/usr/sbin/policy-rc.d';

/** A problem that the user can solve; its message says how. */
class SetupError extends Error {}

/** @param {string} message */
const say = (message) => console.error(`set-up: ${message}`);

/** @param {string} what @param {() => void} work */
function step(what, work) {
  const start = Date.now();
  say(`${what} …`);
  work();
  say(`  done in ${((Date.now() - start) / 1000).toFixed(1)} s`);
}

function checkNode() {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  if (major > 20 || (major === 20 && minor >= 19)) return;
  throw new SetupError(`Node ${process.versions.node} is too old: Lockstock needs Node 20.19 or newer.`);
}

const lockHash = () => createHash('sha256').update(readFileSync(LOCK)).digest('hex');

function packagesAreCurrent() {
  if (!existsSync(INSTALLED)) return false;
  if (existsSync(INSTALLED_STAMP) && readFileSync(INSTALLED_STAMP, 'utf8') === lockHash()) return true;
  // npm was run by hand: the packages are current if that was after the last change of the lock file.
  return statSync(INSTALLED).mtimeMs >= statSync(LOCK).mtimeMs;
}

function installPackages() {
  const npm = process.env['npm_execpath'];
  const args = ['ci', '--no-audit', '--no-fund', '--loglevel=error'];
  const done = npm
    ? spawnSync(process.execPath, [npm, ...args], { cwd: ROOT, stdio: ['ignore', 2, 2] })
    : spawnSync('npm', args, { cwd: ROOT, stdio: ['ignore', 2, 2] });
  if (done.status !== 0) {
    throw new SetupError(
      '`npm ci` failed, see above. Is the package registry reachable? Run this command again.',
    );
  }
}

/** @param {string} command @param {string[]} args */
function succeeds(command, ...args) {
  return spawnSync(command, args, { stdio: 'ignore' }).status === 0;
}

/** The prefix of a command that needs root, or undefined when there is neither root nor sudo. */
function rootPrefix() {
  if (process.getuid?.() === 0) return [];
  return findCommand('sudo') && succeeds('sudo', '-n', 'true') ? ['sudo', '-n'] : undefined;
}

/** @param {string[]} command */
function run([program = '', ...args]) {
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  const done = spawnSync(program, args, { env, encoding: 'utf8' });
  if (done.status !== 0) {
    const said = `${done.stdout}${done.stderr}`.trim().split('\n').slice(-8).join('\n');
    throw new SetupError(`\`${[program, ...args].join(' ')}\` failed:\n${said}`);
  }
}

/** @param {readonly string[]} candidates */
function packageKnownToApt(candidates) {
  const known = candidates.find((name) => {
    const policy = spawnSync('apt-cache', ['policy', name], {
      encoding: 'utf8',
      env: { ...process.env, LC_ALL: 'C' },
    });
    return /Candidate: (?!\(none\))/.test(policy.stdout);
  });
  return known ?? candidates[0] ?? '';
}

/**
 * Debian's server packages start a system service when they are installed. While this file exists, they do not.
 * @param {string[]} prefix @param {() => void} work
 */
function withoutStartingServices(prefix, work) {
  if (existsSync(POLICY)) return work();
  const script = "printf '#!/bin/sh\\nexit 101\\n' > " + POLICY + ' && chmod 755 ' + POLICY;
  run([...prefix, 'sh', '-c', script]);
  try {
    work();
  } finally {
    run([...prefix, 'rm', '-f', POLICY]);
  }
}

/** @typedef {import('./programs.js').Program} Program */

/** @param {readonly Program[]} programs */
const namesOf = (programs) => programs.map((program) => program.name).join(', ');

/** @param {readonly Program[]} programs */
const packagesOf = (programs) => programs.map((program) => packageKnownToApt(program.packages));

/** @param {readonly Program[]} programs */
const byHand = (programs) =>
  `sudo apt-get update && sudo apt-get install -y --no-install-recommends ${packagesOf(programs).join(' ')}`;

let listsAreNew = false;

/** @param {readonly Program[]} programs @param {string[]} prefix */
function installWithApt(programs, prefix) {
  const what = `installing ${namesOf(programs)} with apt (the programs only; no system service is started)`;
  step(what, () => {
    const before = enabledServices();
    withoutStartingServices(prefix, () => {
      if (!listsAreNew) run([...prefix, 'apt-get', 'update', '-qq']);
      listsAreNew = true;
      run([
        ...[...prefix, 'apt-get', 'install', '-y', '-qq', '--no-install-recommends'],
        ...packagesOf(programs),
      ]);
    });
    // They must not start at the next boot either: the lab runs its own servers on its own ports.
    const added = enabledServices().filter((service) => !before.includes(service));
    if (added.length > 0) run([...prefix, 'systemctl', 'disable', '--quiet', ...added]);
  });
}

function installServers() {
  const missing = missingPrograms();
  if (missing.length === 0) return;
  const names = namesOf(missing);
  if (!findCommand('apt-get')) {
    throw new SetupError(
      `${names} not found, and this machine has no apt-get. Install ${missing
        .map((program) => program.commands[0])
        .join(', ')} with your package manager so that they are on PATH, then run this command again.`,
    );
  }
  const prefix = rootPrefix();
  if (!prefix) {
    throw new SetupError(
      `${names} not found. Run this once, then run the first command again:\n\n  ${byHand(missing)}\n`,
    );
  }
  installWithApt(missing, prefix);
  const still = missingPrograms();
  if (still.length > 0) {
    throw new SetupError(
      `apt finished, but ${still.map((p) => p.commands[0]).join(', ')} is still missing. Try:\n\n  ${byHand(still)}\n`,
    );
  }
}

/**
 * Installs optional programs where possible. A failure does not stop the set-up.
 * @param {'start' | 'test'} purpose
 */
function installOptional(purpose) {
  const missing = missingOptional(purpose);
  const given = existsSync(GIVEN_UP) ? readFileSync(GIVEN_UP, 'utf8') : '';
  if (missing.length === 0 || (purpose === 'start' && given === namesOf(missing))) return;
  const prefix = findCommand('apt-get') && rootPrefix();
  try {
    if (prefix) installWithApt(missing, prefix);
  } catch (error) {
    say(`  ${error instanceof Error ? error.message : String(error)}`);
  }
  const still = missingOptional(purpose);
  if (still.length === 0) return;
  const how = findCommand('apt-get') ? ` To install it:\n\n  ${byHand(still)}\n` : '';
  say(`continuing without ${still.map(({ name, why }) => `${name} (${why})`).join(', ')}.${how}`);
  writeFileSync(GIVEN_UP, namesOf(still));
}

function enabledServices() {
  if (!existsSync('/run/systemd/system')) return [];
  return ['redis-server', 'nginx', 'mariadb', 'etcd'].filter((name) =>
    succeeds('systemctl', 'is-enabled', '--quiet', name),
  );
}

/** `no-servers`: for commands that start none. @param {'start' | 'test' | 'no-servers'} purpose */
export function setUp(purpose) {
  checkNode();
  if (!packagesAreCurrent()) {
    step('installing the npm packages of package-lock.json (about a minute the first time)', installPackages);
  }
  writeFileSync(INSTALLED_STAMP, lockHash());
  if (purpose !== 'no-servers') {
    installServers();
    installOptional(purpose);
  }
  if (!isBuilt()) step('compiling TypeScript into dist/', build);
}

/**
 * Runs the set-up; on a problem says what to do and ends the process.
 * @param {'start' | 'test' | 'no-servers'} purpose
 */
export function setUpOrExit(purpose = 'start') {
  try {
    setUp(purpose);
  } catch (error) {
    say(error instanceof SetupError ? error.message : String(error));
    process.exit(1);
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  setUpOrExit(process.argv.includes('--for-tests') ? 'test' : 'start');
}
