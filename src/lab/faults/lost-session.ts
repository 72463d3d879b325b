import { parseZookeeperUrl } from '../../locks/coordination/addresses.js';
import { connectEtcd } from '../../locks/etcd/connect.js';
import { ZookeeperClient } from '../../locks/zookeeper/zookeeper-client.js';
import { LabError } from '../errors.js';
import { type ExperimentRun } from '../test-bed/experiment-run.js';
import { GOODS } from '../test-bed/test-bed.js';

export type CoordinationService = 'etcd' | 'zookeeper';

/** For the lab's own session, which is closed at once. */
const SESSION_MS = 5000;
const KEY = encodeURIComponent(`goods:${GOODS}`);

/** Proves that A alone is in the lock queue of the service. Returns A's entry. */
export async function placeOfA(run: ExperimentRun, service: CoordinationService): Promise<string> {
  const places = await placesIn(run, service);
  run.proveFault('pause', 'A alone is in the queue', shown(places), places.length === 1);
  return places[0] ?? '';
}

/** Proves that A's session has expired: the service has removed A's entry and has only that of B. */
export async function proveSessionLost(
  run: ExperimentRun,
  service: CoordinationService,
  placeOfA: string,
): Promise<void> {
  const places = await placesIn(run, service);
  run.proveFault(
    'pause',
    `${service} has removed A’s entry; B alone is in the queue`,
    shown(places),
    places.length === 1 && places[0] !== placeOfA,
  );
}

/** The number of entries. Their names are random. */
function shown(places: readonly string[]): string {
  return `${places.length} in the queue`;
}

/** The entries in the lock queue of the goods, as the service lists them. */
async function placesIn(
  { testBed }: ExperimentRun,
  service: CoordinationService,
): Promise<readonly string[]> {
  const { etcdUrl, zookeeperUrl } = testBed.servers.addresses;
  if (service === 'etcd' && etcdUrl !== undefined) return keysInEtcd(etcdUrl, `lockstock/lock/${KEY}/`);
  if (service === 'zookeeper' && zookeeperUrl !== undefined) {
    return nodesInZookeeper(zookeeperUrl, `/lockstock/lock/key-${KEY}`);
  }
  throw new LabError(`${service} was not started for this experiment.`);
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
