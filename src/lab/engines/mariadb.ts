import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { userInfo } from 'node:os';
import { basename, join } from 'node:path';
import { promisify } from 'node:util';
import { createConnection } from 'mysql2/promise';
import { findCommand } from '../../../bin/programs.js';
import { LabError } from '../errors.js';
import { Child } from '../processes/child.js';
import { type ProcessReaper } from '../processes/process-reaper.js';
import { type Engine } from '../processes/supervisor.js';

const run = promisify(execFile);

export interface MariadbOptions {
  readonly folder: string;
  /** A short path: the name of a socket may not be longer than 107 bytes. */
  readonly socketFolder: string;
  readonly logFile: string;
  readonly port: number;
  readonly ownerPassword: string;
  readonly labPassword: string;
  /** For replication: the server's number, and whether it is the primary. */
  readonly replication?: { readonly serverId: number; readonly primary: boolean };
  /** Further arguments, such as those for a certificate. */
  readonly settings?: readonly string[];
  /** The path of the server's program; by default the first that is installed. */
  readonly program?: string;
  readonly reaper: ProcessReaper;
}

/** Owns the databases called lockstock…: creates tables, and grants the service's rights. */
export const OWNER = 'lockstock_owner';
/** The lab's own account, for reading from the server and for injecting faults. The service never gets it. */
export const LAB_ACCOUNT = 'lockstock_lab';

/** A private MariaDB, or MySQL if only that is installed. */
export class Mariadb implements Engine {
  readonly name = 'MariaDB';
  private readonly program: string;

  constructor(private readonly options: MariadbOptions) {
    const program = options.program ?? findCommand('mariadbd', 'mysqld');
    if (!program)
      throw new LabError('MariaDB is not installed. `npx lockstock doctor` shows how to install it.');
    this.program = program;
  }

  /** The scheme of its URLs, which selects TypeORM's dialect. */
  get scheme(): 'mariadb' | 'mysql' {
    return basename(this.program) === 'mariadbd' ? 'mariadb' : 'mysql';
  }

  async launch(): Promise<Child> {
    const { folder, socketFolder, port, reaper, logFile } = this.options;
    await this.createFiles();
    const initFile = join(folder, 'accounts.sql');
    writeFileSync(initFile, this.accounts(), { mode: 0o600 });
    const child = new Child({
      name: this.name,
      command: this.program,
      args: [
        '--no-defaults',
        `--datadir=${this.dataFolder}`,
        this.tmpdir(),
        `--socket=${join(socketFolder, 'mariadb.sock')}`,
        `--pid-file=${join(folder, 'server.pid')}`,
        `--port=${port}`,
        '--bind-address=127.0.0.1',
        '--skip-name-resolve',
        `--init-file=${initFile}`,
        '--max-connections=600',
        '--innodb-buffer-pool-size=128M',
        // An acknowledged commit survives a crash, so all strategies are compared under the same promise.
        '--innodb-flush-log-at-trx-commit=1',
        '--character-set-server=utf8mb4',
        ...this.replication(),
        // Newer MariaDB can turn a lost update into an error; the experiments show what happens without that.
        '--loose-innodb-snapshot-isolation=OFF',
        '--loose-mysqlx=OFF',
        ...this.noFileExports(),
        ...(this.options.settings ?? []),
        ...this.asRoot(),
      ],
      logFile,
      reaper,
    });
    await child.ready(() => this.answers());
    return child;
  }

  private get dataFolder(): string {
    return join(this.options.folder, 'data');
  }

  /** A private folder: that of the machine may be full or not writable. */
  private tmpdir(): string {
    const folder = join(this.options.folder, 'tmp');
    mkdirSync(folder, { recursive: true });
    return `--tmpdir=${folder}`;
  }

  private replication(): string[] {
    const { replication } = this.options;
    const log = replication?.primary ? ['--log-bin=binary', '--binlog-format=ROW'] : ['--skip-log-bin'];
    return replication ? [`--server-id=${replication.serverId}`, '--relay-log=relay', ...log] : log;
  }

  /** MySQL does not start when it cannot read the folder for exports, which belongs to the package's own account. */
  private noFileExports(): string[] {
    return this.scheme === 'mysql' ? ['--secure-file-priv=NULL'] : [];
  }

  /** As root the server needs --user=root. */
  private asRoot(): string[] {
    return process.getuid?.() === 0 ? [`--user=${userInfo().username}`] : [];
  }

  /** Created in another folder and moved when complete, so that an interrupted first start leaves no partial database. */
  private async createFiles(): Promise<void> {
    if (existsSync(this.dataFolder)) return;
    const unfinished = `${this.dataFolder}.unfinished`;
    rmSync(unfinished, { recursive: true, force: true });
    mkdirSync(unfinished, { recursive: true });
    try {
      if (this.scheme === 'mysql') {
        await run(this.program, [
          '--no-defaults',
          '--initialize-insecure',
          `--datadir=${unfinished}`,
          this.tmpdir(),
          ...this.asRoot(),
        ]);
      } else {
        await this.installMariadb(unfinished);
      }
    } catch (error) {
      const { stdout, stderr, message } = error as { stdout?: string; stderr?: string; message: string };
      throw new LabError(
        `MariaDB could not create its files: ${[message, stdout, stderr].join('\n').trim()}`,
      );
    }
    renameSync(unfinished, this.dataFolder);
  }

  /** The installer is a shell script that splits a path at a blank, so it gets a link without one. */
  private async installMariadb(unfinished: string): Promise<void> {
    const installer = findCommand('mariadb-install-db', 'mysql_install_db');
    if (!installer)
      throw new LabError('mariadb-install-db is missing. `npx lockstock doctor` shows how to install it.');
    this.tmpdir();
    const link = join(this.options.socketFolder, 'mariadb');
    symlinkSync(this.options.folder, link);
    try {
      await run(installer, [
        '--no-defaults',
        `--datadir=${join(link, basename(unfinished))}`,
        `--tmpdir=${join(link, 'tmp')}`,
        '--skip-test-db',
        '--auth-root-authentication-method=socket',
        ...this.asRoot(),
      ]);
    } finally {
      rmSync(link);
    }
  }

  private accounts(): string {
    const { ownerPassword, labPassword } = this.options;
    return [
      'CREATE DATABASE IF NOT EXISTS lockstock CHARACTER SET utf8mb4;',
      `CREATE USER IF NOT EXISTS '${OWNER}'@'%' IDENTIFIED BY '${ownerPassword}';`,
      `ALTER USER '${OWNER}'@'%' IDENTIFIED BY '${ownerPassword}';`,
      `GRANT ALL PRIVILEGES ON \`lockstock%\`.* TO '${OWNER}'@'%' WITH GRANT OPTION;`,
      `GRANT CREATE USER ON *.* TO '${OWNER}'@'%';`,
      `CREATE USER IF NOT EXISTS '${LAB_ACCOUNT}'@'%' IDENTIFIED BY '${labPassword}';`,
      `ALTER USER '${LAB_ACCOUNT}'@'%' IDENTIFIED BY '${labPassword}';`,
      `GRANT ALL PRIVILEGES ON *.* TO '${LAB_ACCOUNT}'@'%';`,
      // MySQL's root has no password at first, also over TCP; MariaDB's root needs the socket and the user's id.
      ...(this.scheme === 'mysql' ? [`ALTER USER 'root'@'localhost' IDENTIFIED BY '${labPassword}';`] : []),
      '',
    ].join('\n');
  }

  private async answers(): Promise<boolean> {
    const { port, ownerPassword } = this.options;
    const connection = await createConnection({
      host: '127.0.0.1',
      port,
      user: OWNER,
      password: ownerPassword,
      connectTimeout: 1000,
    });
    await connection.query('SELECT 1');
    await connection.end();
    return true;
  }
}
