import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Redis, type RedisOptions } from 'ioredis';
import { findCommand } from '../../bin/programs.js';
import { freePort } from '../../src/lab/ports.js';
import { Child } from '../../src/lab/processes/child.js';
import { ProcessReaper } from '../../src/lab/processes/process-reaper.js';
import { eventually } from './eventually.js';

/** What a node still knows after kill -9: nothing, or all that it has answered. */
export type Memory = 'forgets' | 'remembers';

const PERSISTENCE: Record<Memory, readonly string[]> = {
  forgets: ['--appendonly', 'no'],
  remembers: ['--appendonly', 'yes', '--appendfsync', 'always'],
};

type ConnectionOptions = Pick<
  RedisOptions,
  'autoResendUnfulfilledCommands' | 'commandTimeout' | 'maxRetriesPerRequest'
>;

/** A Redis master that can be killed, stopped in its tracks, and started again. */
export class RedisNode {
  memory: Memory = 'forgets';
  /** The test's own look at the node, and what it does behind the back of the locks. */
  readonly own: Redis;
  private child: Child | undefined;

  constructor(
    private readonly port: number,
    private readonly folder: string,
    private readonly reaper: ProcessReaper,
  ) {
    this.own = this.connect();
  }

  /** A connection as locks should have it: no queue while the node is down, and nothing sent twice. */
  connect(options: ConnectionOptions = {}): Redis {
    const client = new Redis({
      port: this.port,
      lazyConnect: true,
      enableOfflineQueue: false,
      autoResendUnfulfilledCommands: false,
      maxRetriesPerRequest: 0,
      retryStrategy: () => 20,
      ...options,
    });
    client.on('error', () => undefined);
    return client;
  }

  get running(): boolean {
    return this.child?.running ?? false;
  }

  async start(): Promise<void> {
    if (this.running) return;
    this.child = new Child({
      name: `Redis ${this.port}`,
      command: findCommand('redis-server') ?? 'redis-server',
      args: [
        ...['--bind', '127.0.0.1', '--port', String(this.port), '--dir', this.folder, '--save', ''],
        ...PERSISTENCE[this.memory],
      ],
      logFile: join(this.folder, 'redis.log'),
      reaper: this.reaper,
    });
    if (this.own.status === 'wait') await this.own.connect().catch(() => undefined);
    await this.child.ready(async () => Boolean(await this.own.ping()));
  }

  /** kill -9, and the end of it. */
  async kill(): Promise<void> {
    // SIGKILL also ends a stopped process.
    this.child?.signal('SIGKILL');
    await this.child?.exited;
  }

  /** It keeps its connections and answers nothing. */
  hang(): void {
    this.child?.signal('SIGSTOP');
  }

  wakeUp(): void {
    this.child?.signal('SIGCONT');
  }
}

/** Independent masters, private to one test file. */
export class RedisNodes {
  private readonly connections: Redis[] = [];

  private constructor(
    readonly all: readonly RedisNode[],
    private readonly reaper: ProcessReaper,
  ) {}

  static async start(count: number): Promise<RedisNodes> {
    const reaper = new ProcessReaper();
    const nodes: RedisNode[] = [];
    for (let i = 0; i < count; i += 1) {
      const folder = mkdtempSync(join(tmpdir(), 'lockstock-node-'));
      reaper.addFile(folder);
      nodes.push(new RedisNode(await freePort(), folder, reaper));
    }
    const started = new RedisNodes(nodes, reaper);
    await started.recover();
    return started;
  }

  /** Connections of their own to every node, as another process has them. */
  async connect(options?: ConnectionOptions): Promise<Redis[]> {
    const clients = this.all.map((node) => node.connect(options));
    this.connections.push(...clients);
    for (const client of clients) await client.connect().catch(() => undefined);
    return clients;
  }

  /** All nodes run, all clients are connected, no key is locked. */
  async recover(): Promise<void> {
    for (const node of this.all) node.wakeUp();
    await Promise.all(this.all.map((node) => node.start()));
    await until(() => this.connections.every(({ status }) => status === 'ready'));
    await Promise.all(this.all.map((node) => node.own.flushall()));
  }

  /** The value of the key on each node that runs. */
  values(key: string): Promise<(string | null)[]> {
    return Promise.all(this.all.map(({ own }) => own.get(key).catch(() => null)));
  }

  async stop(): Promise<void> {
    for (const client of this.connections) client.disconnect();
    for (const { own } of this.all) own.disconnect();
    await this.reaper.close();
  }
}

/** Waits for a condition, for nearly as long as a test may take. */
export function until(holds: () => boolean | Promise<boolean>): Promise<void> {
  return eventually('as awaited', holds, 50_000);
}

/** Counts the commands that are given to this client from now on. */
export function commandsOf(client: Redis): () => number {
  let count = 0;
  const send = client.sendCommand.bind(client);
  client.sendCommand = (...args: Parameters<typeof send>) => {
    count += 1;
    return send(...args);
  };
  return () => count;
}
