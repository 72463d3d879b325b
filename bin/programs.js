// The servers that the lab runs, where their programs are, and how to get them. Node's core only: this file is
// read before anything is installed.
import { accessSync, constants, existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';

/**
 * @typedef {object} Program
 * @property {string} name what it is called in messages
 * @property {readonly string[]} commands names of the program, the first one found is used
 * @property {readonly string[]} packages Debian/Ubuntu packages that bring it, the first one known to apt is used
 * @property {readonly string[]} version arguments that make it print its version
 * @property {string} why what the lab needs it for
 */

/**
 * One that the lab can do without: what needs it says that it is not available.
 * @typedef {Program & {file?: string, installedFor: 'start' | 'test'}} OptionalProgram
 * `file` must be there instead of a command. `installedFor` says which set-up brings it: that of `npm start`, and so
 * that of every command, or that of `npm test` only.
 */

/** @type {readonly Program[]} */
export const PROGRAMS = [
  {
    name: 'MariaDB',
    commands: ['mariadbd', 'mysqld'],
    // The core package has the server without a system service: nothing gets started behind the user's back.
    packages: ['mariadb-server-core', 'mariadb-server'],
    version: ['--no-defaults', '--version'],
    why: 'holds the stock and the ledger of orders',
  },
  {
    name: 'MariaDB tools',
    commands: ['my_print_defaults'],
    packages: ['mariadb-client-core', 'mariadb-client'],
    version: ['--version'],
    why: 'creates the files of a new database',
  },
  {
    name: 'Redis',
    commands: ['redis-server'],
    packages: ['redis-server'],
    version: ['--version'],
    why: 'holds the Redis stock and the Redis locks',
  },
  {
    name: 'nginx',
    commands: ['nginx'],
    packages: ['nginx-light', 'nginx'],
    version: ['-v'],
    why: 'distributes requests over the instances',
  },
];

/** Debian's library has the whole server. Its jar names the others that it needs. */
export const ZOOKEEPER_JAR = '/usr/share/java/zookeeper.jar';

/** @type {readonly OptionalProgram[]} */
export const OPTIONAL_PROGRAMS = [
  {
    name: 'etcd',
    commands: ['etcd'],
    packages: ['etcd-server'],
    version: ['--version'],
    why: 'for the strategy etcd',
    // One package of 8 MB.
    installedFor: 'start',
  },
  {
    name: 'Java',
    commands: ['java'],
    packages: ['default-jre-headless'],
    version: ['-version'],
    why: 'runs ZooKeeper, for the strategy zookeeper',
    // With ZooKeeper 90 MB in some 80 packages: too much for a first look.
    installedFor: 'test',
  },
  {
    name: 'ZooKeeper',
    commands: [],
    file: ZOOKEEPER_JAR,
    packages: ['libzookeeper-java'],
    version: [],
    why: 'for the strategy zookeeper',
    installedFor: 'test',
  },
  {
    name: 'mariadb-dump',
    commands: ['mariadb-dump', 'mysqldump'],
    packages: ['mariadb-client'],
    version: ['--version'],
    why: 'for the test of backup and restore',
    installedFor: 'test',
  },
  {
    name: 'libfaketime',
    commands: ['faketime'],
    packages: ['faketime'],
    version: ['--version'],
    why: 'puts the clock of one Redis forward, in experiments',
    installedFor: 'start',
  },
  {
    name: 'Chromium',
    commands: ['chromium', 'chromium-browser', 'google-chrome'],
    packages: ['chromium', 'chromium-browser'],
    version: ['--version'],
    why: 'tests the page',
    installedFor: 'test',
  },
];

// Servers live in sbin, which is not on every user's PATH.
const EXTRA_FOLDERS = ['/usr/local/sbin', '/usr/sbin', '/sbin'];

/**
 * The full path of the first of these commands that can be run.
 * @param {...string} commands
 * @returns {string | undefined}
 */
export function findCommand(...commands) {
  const folders = (process.env['PATH'] ?? '').split(delimiter).filter(Boolean);
  const searched = process.env['LOCKSTOCK_ONLY_PATH'] ? folders : [...folders, ...EXTRA_FOLDERS];
  for (const command of commands) {
    for (const folder of searched) {
      const path = join(folder, command);
      try {
        accessSync(path, constants.X_OK);
        return path;
      } catch {
        // not here: look in the next folder
      }
    }
  }
  return undefined;
}

/**
 * The file, where it is there to be used.
 * @param {string} path
 * @returns {string | undefined}
 */
export function findFile(path) {
  return !process.env['LOCKSTOCK_ONLY_PATH'] && existsSync(path) ? path : undefined;
}

/**
 * Where an optional program is.
 * @param {OptionalProgram} program
 * @returns {string | undefined}
 */
export function findOptional({ commands, file }) {
  return file === undefined ? findCommand(...commands) : findFile(file);
}

/**
 * @param {'start' | 'test'} purpose
 * @returns {OptionalProgram[]} that the set-up should bring and that are not there
 */
export function missingOptional(purpose) {
  return OPTIONAL_PROGRAMS.filter(
    (program) => (purpose === 'test' || program.installedFor === 'start') && !findOptional(program),
  );
}

/** @returns {Program[]} */
export function missingPrograms() {
  return PROGRAMS.filter((program) => !findCommand(...program.commands));
}
