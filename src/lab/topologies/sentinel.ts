import { SERVICE_ACCOUNT } from '../engines/redis.js';
import { Sentinel } from '../engines/sentinel.js';
import { freePorts } from '../ports.js';
import { until } from '../until.js';
import { Node } from './node.js';
import { hosts, inStep, place, redisNode, type TopologyOptions } from './topology.js';

const MASTER_NAME = 'lockstock';
/** May only replicate, so that an experiment can forbid replication without affecting anything else. */
export const REPLICATION_ACCOUNT = 'replication';
const REPLICAS = 2;
const SENTINELS = 3;

/**
 * One master, two replicas, and three Sentinels that promote a replica when the master fails. Replication is
 * asynchronous: writes that the master has acknowledged but not replicated are lost with it, including locks.
 */
export class SentinelTopology {
  private constructor(
    /** The first was the master at the start. */
    readonly nodes: readonly Node[],
    readonly sentinels: readonly Node[],
    readonly url: string,
  ) {}

  static choosePorts(): Promise<number[]> {
    return freePorts(1 + REPLICAS + SENTINELS);
  }

  static async start(options: TopologyOptions, chosen?: readonly number[]): Promise<SentinelTopology> {
    const { redisPassword, labPassword } = options.secrets;
    const [masterPort = 0, ...ports] = chosen ?? (await SentinelTopology.choosePorts());
    // Any server may become a replica, so all have the account for a master. As a master, none waits for further
    // replicas before it sends its data.
    const settings = [
      `user ${REPLICATION_ACCOUNT} on >${labPassword} +psync +replconf +ping`,
      `masteruser ${REPLICATION_ACCOUNT}`,
      `masterauth ${labPassword}`,
      'repl-diskless-sync-delay 0',
    ];
    const master = redisNode(options, 'sentinel-redis-1', masterPort, settings);
    const replicas = ports
      .slice(0, REPLICAS)
      .map((port, index) =>
        redisNode(options, `sentinel-redis-${index + 2}`, port, [
          ...settings,
          `replicaof 127.0.0.1 ${masterPort}`,
        ]),
      );
    const sentinels = ports.slice(REPLICAS).map((port, index) => {
      const quorum = Math.ceil(SENTINELS / 2);
      const watch = { masterName: MASTER_NAME, masterPort, quorum };
      return new Node(new Sentinel({ ...place(options, `sentinel-${index + 1}`, port), ...watch }));
    });
    const topology = new SentinelTopology(
      [master, ...replicas],
      sentinels,
      `redis+sentinel://${SERVICE_ACCOUNT}:${redisPassword}@${hosts(sentinels)}/${MASTER_NAME}/0` +
        `?sentinelUser=${SERVICE_ACCOUNT}&sentinelPassword=${redisPassword}`,
    );
    await Promise.all(topology.nodes.map((node) => node.start()));
    // Sentinels get the list of replicas from the master: all must be connected when they first ask.
    await Promise.all(replicas.map((replica) => until('replication', () => inStep(replica))));
    await Promise.all(sentinels.map((sentinel) => sentinel.start()));
    await Promise.all(sentinels.map((sentinel) => until('Sentinels in touch', () => ready(sentinel))));
    return topology;
  }

  async stop(): Promise<void> {
    await Promise.all([...this.sentinels, ...this.nodes].map((node) => node.stop()));
  }

  /** The server that all Sentinels and the server itself report as the master. */
  master(): Promise<Node> {
    return until('one master', () => this.agreed());
  }

  /** Waits until a server other than `old` is the master. */
  newMaster(old: Node): Promise<Node> {
    return until(`a master in the place of ${old.name}`, async () => {
      const node = await this.agreed();
      return node !== old && node;
    });
  }

  /** The port of the master, as the first Sentinel reports it to clients. */
  async told(): Promise<number> {
    const [, port] = (await this.sentinels[0]?.ask((client) =>
      client.call('SENTINEL', 'GET-MASTER-ADDR-BY-NAME', MASTER_NAME),
    )) as [string, string];
    return Number(port);
  }

  /** A planned failover; the old master becomes a replica. */
  async failover(): Promise<Node> {
    const old = await this.master();
    await this.sentinels[0]?.ask((client) => client.call('SENTINEL', 'FAILOVER', MASTER_NAME));
    return this.newMaster(old);
  }

  private async agreed(): Promise<Node | undefined> {
    const named = await Promise.all(this.sentinels.filter(({ running }) => running).map(masterPort));
    const node = this.nodes.find(({ port }) => port === named[0]);
    if (!node || named.some((port) => port !== node.port)) return undefined;
    const [role] = await node.ask((client) => client.role());
    return role === 'master' ? node : undefined;
  }
}

/**
 * The port of the master, if the Sentinel reports it as healthy. A failover in progress must end first: if the new master
 * fails before that, the Sentinel that leads the failover waits for it for ever.
 */
async function masterPort(sentinel: Node): Promise<number | undefined> {
  const reply = (await sentinel.ask((client) => client.call('SENTINEL', 'MASTER', MASTER_NAME))) as string[];
  const field = (name: string) => reply[reply.indexOf(name) + 1];
  return field('flags') === 'master' ? Number(field('port')) : undefined;
}

/** Whether the Sentinel knows the other Sentinels and every replica. */
async function ready(sentinel: Node): Promise<boolean> {
  const counted = (what: string) =>
    sentinel.ask(async (client) => ((await client.call('SENTINEL', what, MASTER_NAME)) as unknown[]).length);
  const [others, replicas] = [await counted('SENTINELS'), await counted('REPLICAS')];
  await sentinel.ask((client) => client.call('SENTINEL', 'CKQUORUM', MASTER_NAME));
  return others === SENTINELS - 1 && replicas === REPLICAS;
}
