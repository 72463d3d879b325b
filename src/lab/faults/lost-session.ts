import { parseZookeeperUrl } from '../../locks/coordination/addresses.js';
import { connectEtcd } from '../../locks/etcd/connect.js';
import { ZookeeperClient } from '../../locks/zookeeper/zookeeper-client.js';
import { LabError } from '../errors.js';
import { type Scene } from '../experiments/scene.js';
import { GOODS } from '../experiments/stage.js';

export type CoordinationService = 'etcd' | 'zookeeper';

/** Of the session in which the lab looks; it is closed at once. */
const SESSION_MS = 5000;
const KEY = encodeURIComponent(`goods:${GOODS}`);

/** A alone stands in the queue of the service; answers with its place there. */
export async function placeOfA(scene: Scene, service: CoordinationService): Promise<string> {
  const places = await placesIn(scene, service);
  scene.proveFault('pause', 'A alone is in the queue', shown(places), places.length === 1);
  return places[0] ?? '';
}

/** A has slept for longer than its session: the service itself has taken its place away, and given it to B. */
export async function proveSessionLost(
  scene: Scene,
  service: CoordinationService,
  placeOfA: string,
): Promise<void> {
  const places = await placesIn(scene, service);
  scene.proveFault(
    'pause',
    `${service} has dropped A and knows B alone`,
    shown(places),
    places.length === 1 && places[0] !== placeOfA,
  );
}

/** The end of a name tells it from another. */
function shown(places: readonly string[]): string {
  return places.map((place) => `…${place.slice(-12)}`).join(', ') || 'nobody';
}

/** The places in the queue for the lock of the goods, as the service itself has them. */
async function placesIn({ stage }: Scene, service: CoordinationService): Promise<readonly string[]> {
  const { etcdUrl, zookeeperUrl } = stage.servers.addresses;
  if (service === 'etcd' && etcdUrl !== undefined) return keysInEtcd(etcdUrl, `lockstock/lock/${KEY}/`);
  if (service === 'zookeeper' && zookeeperUrl !== undefined) {
    return nodesInZookeeper(zookeeperUrl, `/lockstock/lock/key-${KEY}`);
  }
  throw new LabError(`There is no ${service} on the stage.`);
}

async function keysInEtcd(url: string, prefix: string): Promise<readonly string[]> {
  const client = await connectEtcd(url);
  try {
    return await client.getAll().prefix(prefix).keys();
  } finally {
    client.close();
  }
}

async function nodesInZookeeper(url: string, folder: string): Promise<readonly string[]> {
  const client = await ZookeeperClient.connect(parseZookeeperUrl(url), SESSION_MS);
  try {
    return await client.children(folder);
  } finally {
    client.close();
  }
}
