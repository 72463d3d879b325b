import { type DataFolder, type Secrets } from '../data-folder.js';
import { LAB_ACCOUNT, SERVICE_ACCOUNT } from '../engines/redis.js';
import { TcpProxy } from '../tcp-proxy.js';
import { freePort } from '../ports.js';
import { type ProcessReaper } from '../processes/process-reaper.js';
import { type Node } from '../topologies/node.js';
import { redisNode } from '../topologies/topology.js';

/**
 * The address of Redis for the instances: a proxy. The server behind it can be replaced by a replica or by an empty
 * server, as behind the endpoint of a managed service.
 */
export class RedisEndpoint {
  private servers = 0;
  private readonly nodes = new Set<Node>();

  private constructor(
    private readonly folder: DataFolder,
    private readonly secrets: Secrets,
    private readonly reaper: ProcessReaper,
    readonly wire: TcpProxy,
    /** The server behind the address now. */
    public node: Node,
  ) {}

  static async open(folder: DataFolder, secrets: Secrets, reaper: ProcessReaper): Promise<RedisEndpoint> {
    const node = redisNode({ folder, secrets, reaper }, 'redis-0', await freePort());
    await node.start();
    const endpoint = new RedisEndpoint(folder, secrets, reaper, await TcpProxy.to(node.port), node);
    endpoint.nodes.add(node);
    return endpoint;
  }

  get serviceUrl(): string {
    return `redis://${SERVICE_ACCOUNT}:${this.secrets.redisPassword}@127.0.0.1:${this.wire.port}/0`;
  }

  /** For the lab, through the same proxy as the instances; `node` is the server itself. */
  get labUrl(): string {
    return `redis://${LAB_ACCOUNT}:${this.secrets.labPassword}@127.0.0.1:${this.wire.port}/0`;
  }

  /** How many clients subscribe to the channel. */
  async listeners(channel: string): Promise<number> {
    const [, count] = await this.node.ask((client) => client.pubsub('NUMSUB', channel));
    return Number(count);
  }

  /** Starts another server; the address does not lead to it yet. */
  async start(settings: readonly string[] = [], env?: NodeJS.ProcessEnv): Promise<Node> {
    this.servers += 1;
    const { folder, secrets, reaper } = this;
    const node = redisNode(
      { folder, secrets, reaper },
      `redis-${this.servers}`,
      await freePort(),
      settings,
      env,
    );
    await node.start();
    this.nodes.add(node);
    return node;
  }

  /** From now on the address leads to this server. All connections to the old server are closed. */
  use(node: Node): void {
    this.node = node;
    this.wire.leadTo(node.port);
    this.wire.reset();
  }

  /** Puts an empty server behind the address and stops all servers that an experiment has started. */
  async replace(settings: readonly string[] = [], env?: NodeJS.ProcessEnv): Promise<Node> {
    const old = [...this.nodes];
    const node = await this.start(settings, env);
    this.use(node);
    for (const other of old) {
      this.nodes.delete(other);
      await other.stop();
    }
    return node;
  }

  async close(): Promise<void> {
    await this.wire.close();
    for (const node of this.nodes) await node.stop();
  }
}
