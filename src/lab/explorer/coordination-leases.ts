import { type Etcd3 } from 'etcd3';
import { parseZookeeperUrl } from '../../locks/coordination/addresses.js';
import { connectEtcd } from '../../locks/etcd/connect.js';
import { ZookeeperClient } from '../../locks/zookeeper/zookeeper-client.js';
import { GOODS } from '../test-bed/test-bed.js';
import { type HeldLease, type LeaseSource } from './leases.js';

const KEY = encodeURIComponent(`goods:${GOODS}`);
const ETCD_QUEUE = `lockstock/lock/${KEY}/`;
const ZOOKEEPER_QUEUE = `/lockstock/lock/key-${KEY}`;
const SESSION_MS = 20_000;
/** The digits that ZooKeeper appends to a name. */
const NUMBER = /\d{10}$/;

/** The first key of the queue holds the lock. When its lease ends, etcd deletes it. */
export class EtcdLeases implements LeaseSource {
  private constructor(private readonly client: Etcd3) {}

  static async open(url: string): Promise<EtcdLeases> {
    return new EtcdLeases(await connectEtcd(url));
  }

  async held(): Promise<readonly HeldLease[]> {
    const [first] = await this.client.getAll().prefix(ETCD_QUEUE).sort('Create', 'Ascend').limit(1).keys();
    return first === undefined ? [] : [this.lease(first)];
  }

  async clear(): Promise<void> {
    await this.client.delete().prefix(ETCD_QUEUE).exec();
  }

  close(): void {
    this.client.close();
  }

  private lease(key: string): HeldLease {
    return {
      names: [`etcd ${ETCD_QUEUE}`],
      owner: key.slice(ETCD_QUEUE.length),
      what: 'the lock in etcd',
      ends: true,
      end: () => this.client.delete().key(key).exec(),
    };
  }
}

/** The node with the lowest number holds the lock. When its session ends, ZooKeeper deletes it. */
export class ZookeeperLeases implements LeaseSource {
  private constructor(private readonly client: ZookeeperClient) {}

  static async open(url: string): Promise<ZookeeperLeases> {
    return new ZookeeperLeases(await ZookeeperClient.connect(parseZookeeperUrl(url), SESSION_MS));
  }

  async held(): Promise<readonly HeldLease[]> {
    const [first] = await this.queue();
    return first === undefined ? [] : [this.lease(first)];
  }

  async clear(): Promise<void> {
    for (const node of await this.queue()) await this.client.remove(`${ZOOKEEPER_QUEUE}/${node}`);
  }

  close(): void {
    this.client.close();
  }

  /** Empty before the first purchase. */
  private async queue(): Promise<readonly string[]> {
    const nodes = await this.client.children(ZOOKEEPER_QUEUE).catch(() => []);
    return [...nodes].sort((a, b) => numberOf(a) - numberOf(b));
  }

  private lease(node: string): HeldLease {
    return {
      names: [`zookeeper ${ZOOKEEPER_QUEUE}`],
      owner: node.slice(0, node.search(NUMBER) - 1),
      what: 'the lock in ZooKeeper',
      ends: true,
      end: () => this.client.remove(`${ZOOKEEPER_QUEUE}/${node}`),
    };
  }
}

function numberOf(node: string): number {
  return Number(NUMBER.exec(node)?.[0]);
}
