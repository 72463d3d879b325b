import { askZookeeper } from '../engines/zookeeper.js';
import { LabError } from '../errors.js';
import { GOODS } from '../experiments/stage.js';
import { type ServerAddresses } from '../servers.js';

const KEY = encodeURIComponent(`goods:${GOODS}`);

/** The places in the queue for the lock of the goods, as the service itself has them. */
export async function placesIn(
  service: 'etcd' | 'zookeeper',
  { etcdUrl, zookeeperUrl }: ServerAddresses,
): Promise<readonly string[]> {
  if (service === 'etcd' && etcdUrl !== undefined) return keysInEtcd(etcdUrl, `lockstock/lock/${KEY}/`);
  if (service === 'zookeeper' && zookeeperUrl !== undefined) {
    return nodesInZookeeper(zookeeperUrl, `/lockstock/lock/key-${KEY}/`);
  }
  throw new LabError(`There is no ${service} on the stage.`);
}

async function keysInEtcd(url: string, prefix: string): Promise<string[]> {
  const base64 = (text: string) => Buffer.from(text).toString('base64');
  const response = await fetch(`${url}/v3/kv/range`, {
    method: 'POST',
    body: JSON.stringify({ key: base64(prefix), range_end: base64(`${prefix.slice(0, -1)}0`) }),
  });
  const { kvs = [] } = (await response.json()) as { kvs?: { key: string }[] };
  return kvs.map(({ key }) => Buffer.from(key, 'base64').toString());
}

/** `dump` lists the ephemeral nodes of every session. */
async function nodesInZookeeper(url: string, folder: string): Promise<string[]> {
  const lines = (await askZookeeper(url, 'dump')).split('\n').map((line) => line.trim());
  return lines.filter((line) => line.startsWith(folder));
}
