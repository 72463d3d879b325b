import { EtcdLock, type SessionLock, ZookeeperLock } from '../../../src/locks/index.js';
import { eventually } from '../../support/eventually.js';
import { type FuzzClient } from '../client/fuzz-client.js';
import { type FuzzKind } from './kind.js';
import { type FuzzPlaces } from './places.js';

/** How long these locks wait for an answer. */
const CALL_MS = 1000;
const OPENED_WITHIN_MS = 60_000;
const promises = { tokens: true, connectionIsLease: false } as const;

export function zookeeperRoot({ prefix }: Pick<FuzzPlaces, 'prefix'>): string {
  return `/${prefix.replace(/\W/g, '-')}`;
}

async function started(lock: SessionLock): Promise<FuzzClient> {
  await lock.start();
  // On a machine under load the first attempt may time out. The faults have not begun.
  await eventually('the coordination service answers', () => lock.up, OPENED_WITHIN_MS);
  return { lock: () => lock, name: (key) => key, close: () => lock.close() };
}

function needed(name: string, url: string | undefined): string {
  if (url === undefined) throw new Error(`${name} is not installed.`);
  return url;
}

export const COORDINATION_KINDS: readonly FuzzKind[] = [
  {
    ...promises,
    name: 'etcd',
    engine: 'etcd',
    // etcd counts leases in seconds.
    features: { watchdogMs: [1000], leases: true, commandTimeoutMs: CALL_MS },
    open: ({ etcdUrl, prefix }, { watchdogMs }) =>
      started(new EtcdLock(needed('etcd', etcdUrl), { prefix, watchdogMs })),
  },
  {
    ...promises,
    name: 'zookeeper',
    engine: 'zookeeper',
    features: { watchdogMs: [500, 800], leases: true, commandTimeoutMs: CALL_MS },
    open: (places, { watchdogMs }) =>
      started(
        new ZookeeperLock(needed('ZooKeeper', places.zookeeperUrl), {
          root: zookeeperRoot(places),
          watchdogMs,
        }),
      ),
  },
];
