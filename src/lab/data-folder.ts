import { randomBytes } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { LabError } from './errors.js';
import { type Guard } from './processes/guard.js';
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
  /** The one in use, which need not be the one in secrets.json: ADMIN_TOKEN of the lab's environment wins. */
  readonly adminToken: string;
  readonly reaper: ProcessId | undefined;
  readonly children: readonly ProcessId[];
}

const MARKER = 'lockstock-lab';
const GRACE_MS = 8000;

/** The folder that a lab owns: databases, logs, secrets, and a note of who lives in it. */
export class DataFolder {
  readonly path: string;

  constructor(path: string) {
    this.path = resolve(path);
  }

  get logs(): string {
    return join(this.path, 'logs');
  }

  /** As a person would type it. */
  get shown(): string {
    const short = relative(process.cwd(), this.path);
    return short.startsWith('..') ? this.path : short || '.';
  }

  in(...names: string[]): string {
    return join(this.path, ...names);
  }

  /** Makes the folder this lab's, or says who has it. What a killed lab left behind is ended and cleared away. */
  async occupy({ fresh }: { readonly fresh: boolean }): Promise<void> {
    if (existsSync(this.path) && !statSync(this.path).isDirectory()) {
      throw new LabError(`${this.shown} is not a folder. Choose another one with --data.`);
    }
    const marked = existsSync(this.in(MARKER));
    if (existsSync(this.path) && !marked && readdirSync(this.path).length > 0) {
      throw new LabError(
        `${this.shown} is not empty and not a lab's data directory. Choose another one with --data.`,
      );
    }
    await this.evictStaleOccupant();
    if (fresh) rmSync(this.path, { recursive: true, force: true });
    mkdirSync(this.logs, { recursive: true, mode: 0o700 });
    writeFileSync(
      this.in(MARKER),
      'This folder belongs to a Lockstock lab. `lockstock up --fresh` empties it.\n',
    );
  }

  /** Writes down who lives here now; the guard removes the note in the end. */
  sign(guard: Guard, url: string): void {
    const lab = identify(process.pid);
    if (!lab) return;
    const { adminToken } = this.secrets();
    const occupant: Occupant = {
      lab,
      url,
      adminToken,
      reaper: guard.reaperId,
      children: guard.processes,
    };
    writeFileSync(this.in('lab.json'), JSON.stringify(occupant), { mode: 0o600 });
  }

  /** Where the lab that runs here answers, and the token that it uses; undefined when none runs here. */
  get occupied(): { readonly url: string; readonly adminToken: string } | undefined {
    if (!existsSync(this.in('lab.json'))) return undefined;
    const { lab, url, adminToken } = this.occupant();
    return isAlive(lab) ? { url, adminToken } : undefined;
  }

  leave(): void {
    rmSync(this.in('lab.json'), { force: true });
  }

  /** A folder with a short name for sockets, gone when the lab is. */
  socketFolder(guard: Guard): string {
    const folder = mkdtempSync(join(tmpdir(), 'lockstock-'));
    guard.addFile(folder);
    return folder;
  }

  /** Random once, then kept: the database remembers its passwords. ADMIN_TOKEN from the environment wins. */
  secrets(): Secrets {
    const path = this.in('secrets.json');
    const random = () => randomBytes(18).toString('base64url').replace(/[-_]/g, 'x');
    const kept = existsSync(path) ? (JSON.parse(readFileSync(path, 'utf8')) as Partial<Secrets>) : {};
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
    writeFileSync(path, `${JSON.stringify(secrets, null, 2)}\n`, { mode: 0o600 });
    const given = process.env['ADMIN_TOKEN'];
    if (given !== undefined && !/^[A-Za-z0-9._~+/=-]{16,200}$/.test(given)) {
      throw new LabError('ADMIN_TOKEN must have 16 to 200 letters, digits or . _ ~ + / = -');
    }
    return given === undefined ? secrets : { ...secrets, adminToken: given };
  }

  private occupant(): Occupant {
    return JSON.parse(readFileSync(this.in('lab.json'), 'utf8')) as Occupant;
  }

  private async evictStaleOccupant(): Promise<void> {
    if (!existsSync(this.in('lab.json'))) return;
    const { lab, url, reaper, children } = this.occupant();
    if (isAlive(lab)) {
      throw new LabError(
        `A lab already runs in ${this.shown} (pid ${lab.pid}, ${url}). ` +
          'Stop it, or run this one beside it with --data and --port.',
      );
    }
    // Its reaper is still at work: two servers must not meet in one database.
    const giveUpAt = performance.now() + 2 * GRACE_MS;
    while (reaper && isAlive(reaper) && performance.now() < giveUpAt) await sleep(50);
    await endAll(children, GRACE_MS);
    this.leave();
  }
}
