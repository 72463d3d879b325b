import { SERVICE_ACCOUNT } from '../engines/redis.js';
import { freePorts } from '../ports.js';
import { until } from '../until.js';
import { type Node } from './node.js';
import { hosts, redisNode, type TopologyOptions } from './topology.js';

const MASTERS = 3;
const SLOTS = 16_384;

/** Three masters that divide the keys, without replicas. */
export class ClusterTopology {
  private constructor(
    readonly nodes: readonly Node[],
    readonly url: string,
  ) {}

  static async start(options: TopologyOptions): Promise<ClusterTopology> {
    const ports = await freePorts(2 * MASTERS);
    const busPorts = ports.splice(MASTERS);
    const nodes = ports.map((port, index) =>
      // The default bus port, 10,000 above the port, may be too large.
      redisNode(options, `cluster-${index + 1}`, port, [
        'cluster-enabled yes',
        `cluster-port ${busPorts[index] ?? 0}`,
        'cluster-node-timeout 1000',
      ]),
    );
    const topology = new ClusterTopology(
      nodes,
      `redis+cluster://${SERVICE_ACCOUNT}:${options.secrets.redisPassword}@${hosts(nodes)}`,
    );
    await Promise.all(nodes.map((node) => node.start()));
    await Promise.all(nodes.map(takeSlots));
    await nodes[0]?.ask((client) =>
      Promise.all(
        ports.map((port, i) => client.call('CLUSTER', 'MEET', '127.0.0.1', port, busPorts[i] ?? 0)),
      ),
    );
    await Promise.all(nodes.map((node) => until(`${node.name} in the cluster`, () => joined(node))));
    return topology;
  }

  async stop(): Promise<void> {
    await Promise.all(this.nodes.map((node) => node.stop()));
  }
}

/** Each node gets an equal share of the slots, and a different epoch, so that no conflict of epochs has to be resolved. */
async function takeSlots(node: Node, index: number): Promise<void> {
  const first = (share: number) => Math.floor((share * SLOTS) / MASTERS);
  await node.ask(async (client) => {
    await client.call('CLUSTER', 'SET-CONFIG-EPOCH', index + 1);
    await client.call('CLUSTER', 'ADDSLOTSRANGE', first(index), first(index + 1) - 1);
  });
}

async function joined(node: Node): Promise<boolean> {
  const info = await node.ask((client) => client.cluster('INFO'));
  return info.includes('cluster_state:ok') && info.includes(`cluster_known_nodes:${MASTERS}`);
}
