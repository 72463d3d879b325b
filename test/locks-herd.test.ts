import { askZookeeper } from '../src/lab/engines/zookeeper.js';
import { EtcdLock, type Lease, type SessionLock, ZookeeperLock } from '../src/locks/index.js';
import { etcdKeys, zookeeperNodes } from './support/coordination-kinds.js';
import { eventually } from './support/eventually.js';
import { isHere } from './support/optional-servers.js';
import { servers } from './support/test-shop.js';

const { etcdLabUrl: etcdUrl = '', zookeeperUrl = '' } = servers;
const WAITERS = 3;
const SPACE = `herd-${process.pid}`;
const PATIENT = { waitMs: 30_000, watchdogMs: 20_000 };

/** One holder and several waiters, each with a session of its own. */
async function queueUp(open: () => SessionLock, places: () => Promise<string[]>) {
  const locks = Array.from({ length: 1 + WAITERS }, open);
  await Promise.all(locks.map((lock) => lock.start()));
  const leases: Promise<Lease>[] = [];
  for (const [index, lock] of locks.entries()) {
    leases.push(lock.acquire('hot', PATIENT));
    await eventually('it stands in the queue', async () => (await places()).length === index + 1);
  }
  const leave = async () => {
    for (const lease of leases) await (await lease).release();
    await Promise.all(locks.map((lock) => lock.close()));
  };
  return { leases, leave };
}

async function etcdMetric(name: string): Promise<number> {
  // Metrics need no login.
  const text = await (await fetch(`http://${new URL(etcdUrl).host}/metrics`)).text();
  return Number(new RegExp(`^${name} (\\S+)$`, 'm').exec(text)?.[1]);
}

async function zookeeperWatches(): Promise<{ paths: number; watches: number }> {
  const [, paths, watches] =
    /watching (\d+) paths\s+Total watches:(\d+)/.exec(await askZookeeper(zookeeperUrl, 'wchs')) ?? [];
  return { paths: Number(paths), watches: Number(watches) };
}

describe('a waiter is notified when the entry before its own is deleted, not at every release', () => {
  if (isHere('etcd'))
    test('etcd sends one event per release', async () => {
      const { leases, leave } = await queueUp(
        () => new EtcdLock(etcdUrl, { prefix: `${SPACE}/`, ...PATIENT }),
        () => etcdKeys(etcdUrl, `${SPACE}/`),
      );
      await eventually(
        'all of them watch',
        async () => (await etcdMetric('etcd_debugging_mvcc_watcher_total')) === WAITERS,
      );
      const before = await etcdMetric('etcd_debugging_mvcc_events_total');
      await (await leases[0])?.release();
      await leases[1];
      expect((await etcdMetric('etcd_debugging_mvcc_events_total')) - before).toBe(1);
      await leave();
    });

  if (isHere('zookeeper'))
    test('each ZooKeeper waiter watches the entry before its own', async () => {
      const { leave } = await queueUp(
        () => new ZookeeperLock(zookeeperUrl, { root: `/${SPACE}`, ...PATIENT }),
        () => zookeeperNodes(zookeeperUrl, `/${SPACE}`),
      );
      await eventually('all of them watch', async () => (await zookeeperWatches()).watches === WAITERS);
      expect(await zookeeperWatches()).toEqual({ paths: WAITERS, watches: WAITERS });
      await leave();
    });
});
