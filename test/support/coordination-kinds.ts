import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import zookeeper from 'node-zookeeper-client';
import { EtcdLock, ZookeeperLock } from '../../src/locks/index.js';
import { parseZookeeperUrl } from '../../src/locks/coordination/addresses.js';
import { connectEtcd } from '../../src/locks/etcd/connect.js';
import { type LockKind } from './lock-kinds.js';

/** etcd counts leases in seconds. */
const ETCD_LEASE_MS = 1000;
const ETCD_TRIES = 10;
const ZOOKEEPER_SESSION_MS = 800;

export const etcdKind: LockKind = {
  name: 'etcd',
  leaseMs: ETCD_LEASE_MS,
  takesLease: true,
  tokens: true,
  cycles: 500,
  contended: 300,
  open: ({ etcdUrl, prefix }) => {
    const url = needed('etcd', etcdUrl);
    const lock = new EtcdLock(url, { prefix, watchdogMs: ETCD_LEASE_MS });
    return { lock, leftBehind: () => etcdKeys(url, prefix), close: () => lock.close() };
  },
};

export const zookeeperKind: LockKind = {
  name: 'zookeeper',
  leaseMs: ZOOKEEPER_SESSION_MS,
  takesLease: true,
  tokens: true,
  cycles: 500,
  contended: 300,
  open: ({ zookeeperUrl, prefix }) => {
    const url = needed('ZooKeeper', zookeeperUrl);
    const root = `/${prefix.replace(/\W/g, '-')}`;
    const lock = new ZookeeperLock(url, { root, watchdogMs: ZOOKEEPER_SESSION_MS });
    return { lock, leftBehind: () => zookeeperNodes(url, root), close: () => lock.close() };
  },
};

function needed(name: string, url: string | undefined): string {
  if (url === undefined) throw new Error(`${name} is not installed`);
  return url;
}

export async function etcdKeys(url: string, prefix: string): Promise<string[]> {
  const client = await connectEtcd(url);
  try {
    for (let tries = 1; ; tries += 1) {
      try {
        return await client.getAll().prefix(prefix).keys();
      } catch (error) {
        // A call times out after a second, which may be too short on a busy machine.
        if (tries === ETCD_TRIES) throw error;
      }
    }
  } finally {
    client.close();
  }
}

/** The places in all queues under the root, without the folders of the keys, which stay. */
export async function zookeeperNodes(url: string, root: string): Promise<string[]> {
  const { servers, auth } = parseZookeeperUrl(url);
  const client = zookeeper.createClient(servers, { sessionTimeout: 5000 });
  if (auth) client.addAuthInfo('digest', Buffer.from(`${auth.username}:${auth.password}`));
  client.connect();
  // The package would send what is asked before that ahead of its login.
  await once(client, 'connected');
  const children = (path: string) =>
    new Promise<string[]>((resolve, reject) => {
      client.getChildren(path, (error, names) => {
        if (!error) resolve(names);
        else if ('code' in error && error.code === zookeeper.Exception.NO_NODE) resolve([]);
        else reject(new Error(error.toString()));
      });
    });
  try {
    const keys = await children(root);
    return (await Promise.all(keys.map((key) => children(`${root}/${key}`)))).flat();
  } finally {
    client.close();
    while (client.getState() === zookeeper.State.SYNC_CONNECTED) await sleep(5);
  }
}
