import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Redis as Client } from 'ioredis';
import { findCommand } from '../../../bin/programs.js';
import { LabError } from '../errors.js';
import { Child } from '../processes/child.js';
import { type ProcessReaper } from '../processes/process-reaper.js';
import { type Engine } from '../processes/supervisor.js';
import { ask, LAB_ACCOUNT, SERVICE_ACCOUNT } from './redis.js';

export interface SentinelOptions {
  readonly name: string;
  readonly folder: string;
  readonly logFile: string;
  readonly port: number;
  /** The name of the master, which clients ask for. */
  readonly masterName: string;
  readonly masterPort: number;
  /** How many Sentinels must find the master down before it counts as down. */
  readonly quorum: number;
  readonly servicePassword: string;
  readonly labPassword: string;
  readonly reaper: ProcessReaper;
}

/** A master that does not answer for this time counts as down. Too short for a real network, enough on loopback. */
const DOWN_AFTER_MS = 500;
const FAILOVER_TIMEOUT_MS = 2000;

/** What a client may ask a Sentinel: the master, the other Sentinels, and notifications of a new master. */
const CLIENT_RIGHTS =
  '&+switch-master -@all +@connection +subscribe +sentinel|get-master-addr-by-name +sentinel|sentinels';

/** A Sentinel: redis-server in another role. It watches a master and, with the other Sentinels, promotes a replica. */
export class Sentinel implements Engine {
  readonly name: string;

  constructor(private readonly options: SentinelOptions) {
    this.name = options.name;
  }

  get port(): number {
    return this.options.port;
  }

  async launch(): Promise<Child> {
    const command = findCommand('redis-server');
    if (!command)
      throw new LabError('Redis is not installed. `npx lockstock doctor` shows how to install it.');
    const { name, folder, logFile, reaper } = this.options;
    mkdirSync(folder, { recursive: true });
    // Sentinel writes its state into this file.
    const configuration = join(folder, 'sentinel.conf');
    writeFileSync(configuration, this.configuration(), { mode: 0o600 });
    const child = new Child({ name, command, args: [configuration, '--sentinel'], logFile, reaper });
    await child.ready(() => this.hurry());
    return child;
  }

  ask<T>(question: (client: Client) => Promise<T>): Promise<T> {
    return ask(`redis://${LAB_ACCOUNT}:${this.options.labPassword}@127.0.0.1:${this.options.port}`, question);
  }

  private configuration(): string {
    const { folder, port, masterName, masterPort, quorum, servicePassword, labPassword } = this.options;
    return [
      'bind 127.0.0.1',
      `port ${port}`,
      `dir "${folder}"`,
      'daemonize no',
      `sentinel monitor ${masterName} 127.0.0.1 ${masterPort} ${quorum}`,
      `sentinel auth-user ${masterName} ${LAB_ACCOUNT}`,
      `sentinel auth-pass ${masterName} ${labPassword}`,
      `sentinel down-after-milliseconds ${masterName} ${DOWN_AFTER_MS}`,
      `sentinel failover-timeout ${masterName} ${FAILOVER_TIMEOUT_MS}`,
      `sentinel sentinel-user ${LAB_ACCOUNT}`,
      `sentinel sentinel-pass ${labPassword}`,
      'user default off',
      `user ${SERVICE_ACCOUNT} on >${servicePassword} ${CLIENT_RIGHTS}`,
      `user ${LAB_ACCOUNT} on >${labPassword} ~* &* +@all`,
      '',
    ].join('\n');
  }

  /**
   * By default Sentinels announce themselves every two seconds and ask the master for its replicas every ten, which is too
   * slow here. They connect to a new master once per ping period, so it must be well below the time after which a master
   * counts as down. Information about a replica that is to be promoted may be five ping periods old; it is then updated
   * every second.
   */
  private async hurry(): Promise<boolean> {
    const periods = { publish: 200, info: 500, ping: 300, ask: 100 };
    const words = Object.entries(periods).flatMap(([what, ms]) => [`${what}-period`, String(ms)]);
    await this.ask((client) => client.call('SENTINEL', 'DEBUG', ...words));
    return true;
  }
}
