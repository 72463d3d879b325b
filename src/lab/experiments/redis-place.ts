import { type DataFolder, type Secrets } from '../data-folder.js';
import { LAB_ACCOUNT, SERVICE_ACCOUNT } from '../engines/redis.js';
import { TcpProxy } from '../faults/tcp-proxy.js';
import { freePort } from '../ports.js';
import { type Guard } from '../processes/guard.js';
import { type Node } from '../topologies/node.js';
import { redisNode } from '../topologies/topology.js';

/**
 * The address at which the instances find Redis. What answers there can be replaced, as behind the endpoint of a
 * managed service: by a replica, by the same server without its data.
 */
export class RedisPlace {
  private servers = 0;
  private readonly nodes = new Set<Node>();

  private constructor(
    private readonly folder: DataFolder,
    private readonly secrets: Secrets,
    private readonly guard: Guard,
    readonly wire: TcpProxy,
    /** The server that answers now. */
    public node: Node,
  ) {}

  static async open(folder: DataFolder, secrets: Secrets, guard: Guard): Promise<RedisPlace> {
    const node = redisNode({ folder, secrets, guard }, 'stage-redis-0', await freePort());
    await node.start();
    const place = new RedisPlace(folder, secrets, guard, await TcpProxy.to(node.port), node);
    place.nodes.add(node);
    return place;
  }

  get serviceUrl(): string {
    return `redis://${SERVICE_ACCOUNT}:${this.secrets.redisPassword}@127.0.0.1:${this.wire.port}/0`;
  }

  /** The lab's way over the wire of the instances; its way to the server itself is `node`. */
  get labUrl(): string {
    return `redis://${LAB_ACCOUNT}:${this.secrets.labPassword}@127.0.0.1:${this.wire.port}/0`;
  }

  /** How many processes listen on the channel. */
  async listeners(channel: string): Promise<number> {
    const [, count] = await this.node.ask((client) => client.pubsub('NUMSUB', channel));
    return Number(count);
  }

  /** Another server, which nobody uses yet. */
  async start(settings: readonly string[] = [], env?: NodeJS.ProcessEnv): Promise<Node> {
    this.servers += 1;
    const { folder, secrets, guard } = this;
    const node = redisNode(
      { folder, secrets, guard },
      `stage-redis-${this.servers}`,
      await freePort(),
      settings,
      env,
    );
    await node.start();
    this.nodes.add(node);
    return node;
  }

  /** From now on the address leads to this server; who was connected to the old one must connect again. */
  use(node: Node): void {
    this.node = node;
    this.wire.leadTo(node.port);
    this.wire.reset();
  }

  /** An empty server in the place of whatever an experiment has left. */
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
