import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DataFolder } from '../src/lab/data-folder.js';
import { LAB_ACCOUNT } from '../src/lab/engines/redis.js';
import { freePorts } from '../src/lab/ports.js';
import { ProcessReaper } from '../src/lab/processes/process-reaper.js';
import { ClusterTopology } from '../src/lab/topologies/cluster.js';
import { type Node } from '../src/lab/topologies/node.js';
import { redisNode } from '../src/lab/topologies/topology.js';
import { until } from '../src/lab/until.js';
import {
  connectRedis,
  FairRedisLock,
  NotReplicated,
  type RedisClient,
  RedisLock,
} from '../src/locks/index.js';
import { servers } from './support/test-shop.js';

/** A cluster in which only the first master has a replica. */
let reaper: ProcessReaper;
let cluster: ClusterTopology;
let replica: Node;
let client: RedisClient;
const locks: { close(): void }[] = [];

beforeAll(async () => {
  reaper = new ProcessReaper();
  const folder = new DataFolder(mkdtempSync(join(tmpdir(), 'lockstock-replicas-')));
  reaper.addFile(folder.path);
  const options = { folder, reaper, secrets: servers.secrets };
  cluster = await ClusterTopology.start(options);
  const [port = 0, bus = 0] = await freePorts(2);
  replica = redisNode(options, 'cluster-replica', port, [
    'cluster-enabled yes',
    `cluster-port ${bus}`,
    'cluster-node-timeout 1000',
    `masteruser ${LAB_ACCOUNT}`,
    `masterauth ${servers.secrets.labPassword}`,
  ]);
  await replica.start();
  const master = cluster.nodes[0] as Node;
  const masterId = await master.ask(async (lab) => {
    await lab.call('CLUSTER', 'MEET', '127.0.0.1', port, bus);
    return String(await lab.call('CLUSTER', 'MYID'));
  });
  await until('the replica knows its master', () =>
    replica.ask(async (lab) => String(await lab.call('CLUSTER', 'NODES')).includes(masterId)),
  );
  await replica.ask((lab) => lab.call('CLUSTER', 'REPLICATE', masterId));
  await until('the replica is connected', () =>
    master.ask(async (lab) => (await lab.info('replication')).includes('state=online')),
  );
  client = connectRedis(cluster.url);
  client.on('error', () => undefined);
  await until('a connection', () => Promise.resolve(client.status === 'ready'));
});
afterAll(async () => {
  for (const lock of locks) lock.close();
  client.disconnect();
  await Promise.all([cluster.stop(), replica.stop()]);
  await reaper.close();
});

/** A key in the first third of the slots, which belongs to the first master, or in the last third. */
async function keyAt(which: 'replicated' | 'alone'): Promise<string> {
  for (let n = 0; ; n += 1) {
    const slot = Number(
      await (cluster.nodes[0] as Node).ask((lab) => lab.call('CLUSTER', 'KEYSLOT', `${which} ${n}`)),
    );
    if (which === 'replicated' ? slot < 5000 : slot > 12_000) return `${which} ${n}`;
  }
}

describe.each([
  ['RedisLock', RedisLock],
  ['FairRedisLock', FairRedisLock],
] as const)('%s', (name, Kind) => {
  test.each([1, 'majority'] as const)(
    'replicas: %p sends WAIT to the master of the key',
    async (replicas) => {
      const lock = new Kind(client, { prefix: `lockstock:${name}:${replicas}:`, replicas });
      locks.push(lock);
      // Often enough to notice a WAIT at a random node.
      for (let i = 0; i < 3; i += 1) {
        const lease = await lock.acquire(await keyAt('replicated'), { waitMs: 2000 });
        expect(await lease.release()).toBe(true);
        await expect(lock.acquire(await keyAt('alone'), { waitMs: 0 })).rejects.toBeInstanceOf(NotReplicated);
      }
    },
  );
});

test('a majority also counts replicas that are disconnected', async () => {
  const lock = new RedisLock(client, { prefix: 'lockstock:lost:', replicas: 'majority' });
  locks.push(lock);
  const key = await keyAt('replicated');
  await (await lock.acquire(key, { waitMs: 2000 })).release();
  await replica.kill();
  const master = cluster.nodes[0] as Node;
  await until('the master has lost its replica', () =>
    master.ask(async (lab) => (await lab.info('replication')).includes('connected_slaves:0')),
  );
  await expect(lock.acquire(key, { waitMs: 0 })).rejects.toBeInstanceOf(NotReplicated);
});
