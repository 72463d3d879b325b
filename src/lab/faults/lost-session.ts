import { askZookeeper } from '../engines/zookeeper.js';
import { LabError } from '../errors.js';
import { type Scene } from '../experiments/scene.js';
import { GOODS } from '../experiments/stage.js';

export type CoordinationService = 'etcd' | 'zookeeper';

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
