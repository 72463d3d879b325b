import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Redis as Client } from 'ioredis';
import { findCommand } from '../../../bin/programs.js';
import { LabError } from '../errors.js';
import { Child } from '../processes/child.js';
import { type ProcessReaper } from '../processes/process-reaper.js';
import { type Engine } from '../processes/supervisor.js';

export interface RedisOptions {
  /** Its name in messages, if there are several. */
  readonly name?: string;
  readonly folder: string;
  readonly logFile: string;
  readonly port: number;
  readonly servicePassword: string;
  readonly labPassword: string;
  /** Further lines of configuration, which override the usual ones. */
  readonly settings?: readonly string[];
  /** Further environment variables of its process, such as those for another clock. */
  readonly env?: NodeJS.ProcessEnv;
  readonly reaper: ProcessReaper;
}

/** The service's account: it may use its own keys and channels, and no command that concerns the whole server. */
export const SERVICE_ACCOUNT = 'lockstock';
/** The lab's account, for reading and for injecting faults. Servers also use it to connect to each other. */
export const LAB_ACCOUNT = 'lab';

/** A private Redis that keeps an append-only file, and writes to the disk before it answers (docs/adr/0017). */
export class Redis implements Engine {
  readonly name: string;
  private readonly program: string;

  constructor(private readonly options: RedisOptions) {
    const program = findCommand('redis-server');
    if (!program)
      throw new LabError('Redis is not installed. `npx lockstock doctor` shows how to install it.');
    this.program = program;
    this.name = options.name ?? 'Redis';
  }

  get port(): number {
    return this.options.port;
  }

  get serviceUrl(): string {
    return `redis://${SERVICE_ACCOUNT}:${this.options.servicePassword}@127.0.0.1:${this.options.port}/0`;
  }

  get labUrl(): string {
    return `redis://${LAB_ACCOUNT}:${this.options.labPassword}@127.0.0.1:${this.options.port}/0`;
  }

  async launch(): Promise<Child> {
    const { folder, logFile, reaper, env } = this.options;
    mkdirSync(folder, { recursive: true });
    const configuration = join(folder, 'redis.conf');
    writeFileSync(configuration, this.configuration(), { mode: 0o600 });
    const child = new Child({
      name: this.name,
      command: this.program,
      args: [configuration],
      logFile,
      reaper,
      ...(env && { env: { PATH: process.env['PATH'], ...env } }),
    });
    await child.ready(() => this.answers());
    return child;
  }

  private configuration(): string {
    const { folder, port, servicePassword, labPassword, settings = [] } = this.options;
    return [
      'bind 127.0.0.1',
      `port ${port}`,
      `dir "${folder}"`,
      'daemonize no',
      'save ""',
      'appendonly yes',
      'appendfsync always',
      'maxmemory-policy noeviction',
      // The default user cannot log in, but keeps its permissions: Redis loads its file as this user, and would silently
      // skip every transaction and script in it without them (redis/redis#14541).
      'user default off ~* &* +@all',
      `user ${SERVICE_ACCOUNT} on >${servicePassword} ~lockstock:* &lockstock:* +@all -@admin -@dangerous +info`,
      `user ${LAB_ACCOUNT} on >${labPassword} ~* &* +@all`,
      ...settings,
      '',
    ].join('\n');
  }

  private async answers(): Promise<boolean> {
    await this.ask((client) => client.ping());
    return true;
  }

  /** Runs commands on this server through a separate connection that does not reconnect. */
  async ask<T>(question: (client: Client) => Promise<T>): Promise<T> {
    return ask(this.labUrl, question);
  }
}

/** Connects, runs the commands, and disconnects. */
export async function ask<T>(
  url: string,
  question: (client: Client) => Promise<T>,
  commandTimeout = 2000,
): Promise<T> {
  const client = new Client(url, {
    lazyConnect: true,
    retryStrategy: () => null,
    connectTimeout: 1000,
    commandTimeout,
  });
  client.on('error', () => undefined);
  try {
    await client.connect();
    return await question(client);
  } finally {
    client.disconnect();
  }
}
