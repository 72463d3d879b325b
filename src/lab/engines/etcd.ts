import { mkdirSync } from 'node:fs';
import { findCommand } from '../../../bin/programs.js';
import { LabError } from '../errors.js';
import { Child } from '../processes/child.js';
import { type Guard } from '../processes/guard.js';
import { type Engine } from '../processes/supervisor.js';

export interface EtcdOptions {
  readonly folder: string;
  readonly logFile: string;
  readonly port: number;
  /** Where members of a cluster would meet. There is one only, but it listens all the same. */
  readonly peerPort: number;
  readonly guard: Guard;
}

/** The shortest lease is one and a half elections, in whole seconds: this allows for one of a second. */
const ELECTION_MS = 500;
const HEARTBEAT_MS = 50;

/** A private etcd of one member. */
export class Etcd implements Engine {
  readonly name = 'etcd';
  readonly url: string;

  constructor(private readonly options: EtcdOptions) {
    this.url = `http://127.0.0.1:${options.port}`;
  }

  static get installed(): boolean {
    return findCommand('etcd') !== undefined;
  }

  async launch(): Promise<Child> {
    const command = findCommand('etcd');
    if (!command) throw new LabError('etcd is not installed. `npx lockstock doctor` says how to get it.');
    const { folder, logFile, peerPort, guard } = this.options;
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    const peer = `http://127.0.0.1:${peerPort}`;
    const settings = {
      name: 'lab',
      'data-dir': folder,
      'listen-client-urls': this.url,
      'advertise-client-urls': this.url,
      'listen-peer-urls': peer,
      // Written down at the first start only, and then never used: a member alone dials nobody.
      'initial-advertise-peer-urls': peer,
      'initial-cluster': `lab=${peer}`,
      'heartbeat-interval': HEARTBEAT_MS,
      'election-timeout': ELECTION_MS,
      // A queue's past is of no use to anybody.
      'auto-compaction-mode': 'revision',
      'auto-compaction-retention': 10_000,
      'max-wals': 1,
      'max-snapshots': 1,
    };
    const args = Object.entries(settings).map(([name, value]) => `--${name}=${value}`);
    const child = new Child({ name: this.name, command, args, logFile, guard });
    await child.ready(() => this.answers());
    return child;
  }

  private async answers(): Promise<boolean> {
    const response = await fetch(`${this.url}/health`, { signal: AbortSignal.timeout(1000) });
    const { health } = (await response.json()) as { health?: string };
    return health === 'true';
  }
}
