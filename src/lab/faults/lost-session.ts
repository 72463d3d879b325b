import { parseZookeeperUrl } from '../../locks/coordination/addresses.js';
import { connectEtcd } from '../../locks/etcd/connect.js';
import { ZookeeperClient } from '../../locks/zookeeper/zookeeper-client.js';
import { LabError } from '../errors.js';
import { type ExperimentRun } from '../test-bed/experiment-run.js';
import { GOODS } from '../test-bed/test-bed.js';

export type CoordinationService = 'etcd' | 'zookeeper';

/** Of the session in which the lab looks; it is closed at once. */
const SESSION_MS = 5000;
const KEY = encodeURIComponent(`goods:${GOODS}`);

/** A alone stands in the queue of the service; answers with its place there. */
export async function placeOfA(run: ExperimentRun, service: CoordinationService): Promise<string> {
  const places = await placesIn(run, service);
  run.proveFault('pause', 'A alone is in the queue', shown(places), places.length === 1);
  return places[0] ?? '';
}

/** A has slept for longer than its session: the service itself has taken its place away, and given it to B. */
export async function proveSessionLost(
  run: ExperimentRun,
  service: CoordinationService,
  placeOfA: string,
): Promise<void> {
  const places = await placesIn(run, service);
  run.proveFault(
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
async function placesIn(
  { testBed }: ExperimentRun,
  service: CoordinationService,
): Promise<readonly string[]> {
  const { etcdUrl, zookeeperUrl } = testBed.servers.addresses;
  if (service === 'etcd' && etcdUrl !== undefined) return keysInEtcd(etcdUrl, `lockstock/lock/${KEY}/`);
  if (service === 'zookeeper' && zookeeperUrl !== undefined) {
    return nodesInZookeeper(zookeeperUrl, `/lockstock/lock/key-${KEY}`);
  }
  throw new LabError(`There is no ${service} on the testBed.`);
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
