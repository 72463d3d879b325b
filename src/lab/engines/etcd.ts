import { mkdirSync } from 'node:fs';
import { findCommand } from '../../../bin/programs.js';
import { connectEtcd } from '../../locks/etcd/connect.js';
import { LabError } from '../errors.js';
import { Child } from '../processes/child.js';
import { type ProcessReaper } from '../processes/process-reaper.js';
import { type Engine } from '../processes/supervisor.js';

export interface EtcdOptions {
  readonly folder: string;
  readonly logFile: string;
  readonly port: number;
  readonly servicePassword: string;
  readonly labPassword: string;
  readonly reaper: ProcessReaper;
}

/** The service's account: it may use its own keys only. */
const SERVICE_ACCOUNT = 'lockstock';
const SERVICE_KEYS = 'lockstock/';
/** The account and role that etcd requires before authentication can be enabled. The lab uses it. */
const ROOT = 'root';
/**
 * Members of an etcd cluster do not authenticate each other. There is only one member, but it listens for peers: on a
 * socket in its folder, which other users of the machine cannot open.
 */
const PEERS = 'unix://peers:0';
/** Passwords are random, so a slow hash would not stop guesses; it would only slow every login down. */
const BCRYPT_COST = 4;

/** etcd's shortest lease is one and a half election timeouts, in whole seconds: this allows a lease of one second. */
const ELECTION_MS = 500;
const HEARTBEAT_MS = 50;

/** A private etcd with one member, which refuses clients without an account. */
export class EtcdServer implements Engine {
  readonly name = 'etcd';
  private readonly address: string;

  constructor(private readonly options: EtcdOptions) {
    this.address = `127.0.0.1:${options.port}`;
  }

  get serviceUrl(): string {
    return `http://${SERVICE_ACCOUNT}:${this.options.servicePassword}@${this.address}`;
  }

  get labUrl(): string {
    return `http://${ROOT}:${this.options.labPassword}@${this.address}`;
  }

  static get installed(): boolean {
    return findCommand('etcd') !== undefined;
  }

  async launch(): Promise<Child> {
    const command = findCommand('etcd');
    if (!command)
      throw new LabError('etcd is not installed. `npx lockstock doctor` shows how to install it.');
    const { folder, logFile, reaper } = this.options;
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    const url = `http://${this.address}`;
    const settings = {
      name: 'lab',
      'data-dir': folder,
      'listen-client-urls': url,
      'advertise-client-urls': url,
      'listen-peer-urls': PEERS,
      // Stored at the first start and never used: a single member connects to no peer.
      'initial-advertise-peer-urls': PEERS,
      'initial-cluster': `lab=${PEERS}`,
      'bcrypt-cost': BCRYPT_COST,
      'heartbeat-interval': HEARTBEAT_MS,
      'election-timeout': ELECTION_MS,
      // Old revisions of a lock queue are not needed.
      'auto-compaction-mode': 'revision',
      'auto-compaction-retention': 10_000,
      'max-wals': 1,
      'max-snapshots': 1,
    };
    const args = Object.entries(settings).map(([name, value]) => `--${name}=${value}`);
    const child = new Child({ name: this.name, command, args, cwd: folder, logFile, reaper });
    await child.ready(() => this.answers());
    try {
      await this.close();
    } catch (error) {
      await child.stop();
      throw new LabError(`Authentication of etcd could not be enabled: ${(error as Error).message}`);
    }
    return child;
  }

  private async answers(): Promise<boolean> {
    const response = await fetch(`http://${this.address}/health`, { signal: AbortSignal.timeout(1000) });
    const { health } = (await response.json()) as { health?: string };
    return health === 'true';
  }

  /** Creates the accounts if they are missing, and turns authentication on. */
  private async close(): Promise<void> {
    if (await this.isClosed()) return;
    const { servicePassword, labPassword } = this.options;
    // Loaded on first use: gRPC is slow to load, and a lab without etcd does not need it.
    const { EtcdRoleExistsError, EtcdUserExistsError, Range } = await import('etcd3');
    const client = await connectEtcd(`http://${this.address}`);
    try {
      // An earlier start that was killed may have created some of these.
      for (const [name, password] of [
        [ROOT, labPassword],
        [SERVICE_ACCOUNT, servicePassword],
      ] as const) {
        await client.role(name).create().catch(unless(EtcdRoleExistsError));
        await client.user(name).create(password).catch(unless(EtcdUserExistsError));
        await client.user(name).addRole(name);
      }
      const range = Range.prefix(SERVICE_KEYS);
      await client.role(SERVICE_ACCOUNT).grant({ permission: 'Readwrite', range });
      await client.auth.authEnable();
    } finally {
      client.close();
    }
  }

  private async isClosed(): Promise<boolean> {
    const client = await connectEtcd(this.labUrl);
    try {
      await client.getUsers();
      return true;
    } catch (error) {
      if (error instanceof Error && error.message.includes('authentication is not enabled')) return false;
      throw error;
    } finally {
      client.close();
    }
  }
}

function unless(known: new () => Error): (error: unknown) => void {
  return (error) => {
    if (!(error instanceof known)) throw error;
  };
}
