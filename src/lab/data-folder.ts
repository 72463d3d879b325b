import { randomBytes } from 'node:crypto';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { LabError, UsageError } from './errors.js';
import { type ProcessReaper } from './processes/process-reaper.js';
import { endAll, identify, isAlive, type ProcessId } from './processes/proc.js';

export interface Secrets {
  readonly adminToken: string;
  readonly ownerPassword: string;
  readonly servicePassword: string;
  readonly redisPassword: string;
  readonly etcdPassword: string;
  readonly zookeeperPassword: string;
  readonly labPassword: string;
}

interface Occupant {
  readonly lab: ProcessId;
  readonly url: string;
  /** The token in use: ADMIN_TOKEN of the lab's environment, or else the one in secrets.json. */
  readonly adminToken: string;
  readonly reaper: ProcessId | undefined;
  readonly children: readonly ProcessId[];
}

const MARKER = 'lockstock-lab';
const REASONS: ReadonlyMap<string, string> = new Map([
  ['EACCES', 'this user may not write there'],
  ['EPERM', 'this user may not write there'],
  ['EROFS', 'the file system is read-only'],
  ['ENOSPC', 'the disk is full'],
  ['EDQUOT', "this user's disk quota is used up"],
  ['ENOENT', 'no folder can be created there'],
  ['ENOTDIR', 'a part of the path is a file'],
  ['ENAMETOOLONG', 'the path is too long'],
  ['EEXIST', 'a link in the path leads nowhere'],
]);
const GRACE_MS = 8000;

/** The folder that a lab owns: databases, logs, secrets, and the process ids of its owner. */
export class DataFolder {
  readonly path: string;

  constructor(path: string) {
    if (path === '') throw new UsageError('--data must name a folder.');
    this.path = resolve(path);
    // The servers' configuration files quote the path, and the reaper gets one path per line.
    // eslint-disable-next-line no-control-regex
    if (/[\u0000-\u001f\u007f"\\]/.test(this.path)) {
      throw new UsageError(
        `--data must be a path without quotation marks, backslashes and control characters, not ${JSON.stringify(this.path)}.`,
      );
    }
  }

  get logs(): string {
    return join(this.path, 'logs');
  }

  /** The path relative to the working directory, for messages. */
  get shown(): string {
    const short = relative(process.cwd(), this.path);
    return short.startsWith('..') ? this.path : short || '.';
  }

  in(...names: string[]): string {
    return join(this.path, ...names);
  }

  /** Claims the folder for this lab, or throws an error that names the lab that uses it. Ends the processes of a killed lab. */
  async occupy({ fresh }: { readonly fresh: boolean }): Promise<void> {
    this.usable(() => {
      this.refuseForeign();
    });
    await this.evictStaleOccupant();
    this.usable(() => {
      if (fresh) rmSync(this.path, { recursive: true, force: true });
      makeFolder(this.path);
      // It contains passwords and databases: no other user may read it.
      chmodSync(this.path, 0o700);
      makeFolder(this.logs);
      writeFileSync(
        this.in(MARKER),
        'This folder belongs to a Lockstock lab. `lockstock up --fresh` empties it.\n',
      );
    });
  }

  private refuseForeign(): void {
    if (!existsSync(this.path)) return;
    const found = statSync(this.path);
    if (!found.isDirectory()) {
      throw new LabError(`${this.shown} is not a folder. Choose another path with --data.`);
    }
    if (process.getuid && found.uid !== process.getuid()) {
      throw new LabError(
        `${this.shown} belongs to another user, who could change the lab's files. Choose another folder with --data.`,
      );
    }
    if (!existsSync(this.in(MARKER)) && readdirSync(this.path).length > 0) {
      throw new LabError(
        `${this.shown} is not empty and not a lab's data directory. Choose another one with --data.`,
      );
    }
  }

  /** Writes the process ids of this lab into the folder; the reaper removes that file at the end. */
  sign(reaper: ProcessReaper, url: string): void {
    const lab = identify(process.pid);
    if (!lab) return;
    const { adminToken } = this.secrets();
    const occupant: Occupant = {
      lab,
      url,
      adminToken,
      reaper: reaper.id,
      children: reaper.processes,
    };
    this.write('lab.json', JSON.stringify(occupant));
  }

  /** Where the lab that runs here answers, and the token that it uses; undefined when none runs here. */
  get occupied(): { readonly url: string; readonly adminToken: string } | undefined {
    const occupant = this.occupant();
    return occupant && isAlive(occupant.lab)
      ? { url: occupant.url, adminToken: occupant.adminToken }
      : undefined;
  }

  leave(): void {
    rmSync(this.in('lab.json'), { force: true });
  }

  /** A folder with a short name for sockets; it is removed when the lab ends. */
  socketFolder(reaper: ProcessReaper): string {
    const folder = mkdtempSync(join(tmpdir(), 'lockstock-'));
    reaper.addFile(folder);
    return folder;
  }

  /** Random at the first start, then kept, because the database stores its passwords. ADMIN_TOKEN takes precedence. */
  secrets(): Secrets {
    const random = () => randomBytes(18).toString('base64url').replace(/[-_]/g, 'x');
    const kept = (this.read('secrets.json') ?? {}) as Partial<Secrets>;
    const secrets: Secrets = {
      adminToken: random(),
      ownerPassword: random(),
      servicePassword: random(),
      redisPassword: random(),
      etcdPassword: random(),
      zookeeperPassword: random(),
      labPassword: random(),
      ...kept,
    };
    if (Object.keys(secrets).length > Object.keys(kept).length) {
      this.write('secrets.json', `${JSON.stringify(secrets, null, 2)}\n`);
    }
    const given = process.env['ADMIN_TOKEN'];
    if (given !== undefined && !/^[A-Za-z0-9._~+/=-]{16,200}$/.test(given)) {
      throw new LabError('ADMIN_TOKEN must have 16 to 200 letters, digits or . _ ~ + / = -');
    }
    return given === undefined ? secrets : { ...secrets, adminToken: given };
  }

  private occupant(): Occupant | undefined {
    return this.read('lab.json') as Occupant | undefined;
  }

  private read(name: string): unknown {
    return this.usable(() => {
      if (!existsSync(this.in(name))) return undefined;
      try {
        return JSON.parse(readFileSync(this.in(name), 'utf8')) as unknown;
      } catch (error) {
        if (!(error instanceof SyntaxError)) throw error;
        throw new LabError(
          `${this.in(name)} is damaged. Delete it, or start with an empty folder: \`lockstock up --fresh\`.`,
        );
      }
    });
  }

  /** Writes to another file and renames it: on a full disk the old file stays. */
  private write(name: string, text: string): void {
    this.usable(() => {
      writeFileSync(this.in(`${name}.new`), text, { mode: 0o600 });
      renameSync(this.in(`${name}.new`), this.in(name));
    });
  }

  /** Turns errors of the file system into errors that the user can resolve, without a stack. */
  private usable<T>(work: () => T): T {
    try {
      return work();
    } catch (error) {
      if (!(error instanceof Error && 'syscall' in error && 'code' in error)) throw error;
      const why = REASONS.get(String(error.code)) ?? error.message;
      throw new LabError(
        `${this.shown} cannot be the lab's data directory: ${why}. Choose another one with --data.`,
      );
    }
  }

  private async evictStaleOccupant(): Promise<void> {
    const occupant = this.occupant();
    if (!occupant) return;
    const { lab, url, reaper, children } = occupant;
    if (isAlive(lab)) {
      throw new LabError(
        `A lab already runs in ${this.shown} (pid ${lab.pid}, ${url}). ` +
          'Stop it, or run this one beside it with --data and --port.',
      );
    }
    // Its reaper is still ending its servers: two servers must not use the same files.
    const giveUpAt = performance.now() + 2 * GRACE_MS;
    while (reaper && isAlive(reaper) && performance.now() < giveUpAt) await sleep(50);
    await endAll(children, GRACE_MS);
    this.leave();
  }
}

/** Without mkdir's `recursive`, which never returns for a path such as /proc/x. */
function makeFolder(path: string): void {
  if (existsSync(path)) return;
  if (dirname(path) !== path) makeFolder(dirname(path));
  mkdirSync(path, { mode: 0o700 });
}
