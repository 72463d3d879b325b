// The servers that the lab runs, where their programs are, and how to install them. Uses Node's own modules only: this
// file is read before anything is installed.
import { accessSync, constants, existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';

/**
 * @typedef {object} Program
 * @property {string} name what it is called in messages
 * @property {readonly string[]} commands names of the program, the first one found is used
 * @property {readonly string[]} packages Debian/Ubuntu packages that contain it, the first one known to apt is used
 * @property {readonly string[]} version arguments that make it print its version
 * @property {string} why what the lab needs it for
 */

/**
 * A program that the lab can run without: strategies that need it are not available then.
 * @typedef {Program & {file?: string, installedFor: 'start' | 'test'}} OptionalProgram
 * If `file` is given, this file must exist instead of a command. `installedFor` says which set-up installs the program:
 * that of `npm start` and of every command, or that of `npm test` only.
 */

/** @type {readonly Program[]} */
export const PROGRAMS = [
  {
    name: 'MariaDB',
    commands: ['mariadbd', 'mysqld'],
    // The core package has the server without a system service, so the installation starts nothing.
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

/** Debian's library contains the whole server. Its jar names the other jars that it needs. */
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
    // Together with ZooKeeper 90 MB in about 80 packages: too much for the first start.
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
    why: 'moves the clock of one Redis forward, in experiments',
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

// Servers are in sbin, which is not on every user's PATH.
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
 * The path, if the file can be read.
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
 * @returns {OptionalProgram[]} that the set-up should install and that are missing
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
