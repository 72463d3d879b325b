import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DataFolder } from '../src/lab/data-folder.js';
import { SERVICE_ACCOUNT } from '../src/lab/engines/redis.js';
import { TcpProxy } from '../src/lab/tcp-proxy.js';
import { freePorts } from '../src/lab/ports.js';
import { ProcessReaper } from '../src/lab/processes/process-reaper.js';
import { type Node } from '../src/lab/topologies/node.js';
import { redisNode } from '../src/lab/topologies/topology.js';
import { connectRedis, type RedisClient, RedisLock } from '../src/locks/index.js';
import { eventually } from './support/eventually.js';
import { servers } from './support/test-shop.js';

/** Two servers behind one address, as behind a load balancer or a DNS name that follows the master. */
let reaper: ProcessReaper;
let nodes: readonly [Node, Node];
let address: TcpProxy;
let client: RedisClient;

beforeAll(async () => {
  reaper = new ProcessReaper();
  const folder = new DataFolder(mkdtempSync(join(tmpdir(), 'lockstock-failover-')));
  reaper.addFile(folder.path);
  const options = { folder, reaper, secrets: servers.secrets };
  const [first = 0, second = 0] = await freePorts(2);
  nodes = [redisNode(options, 'first', first), redisNode(options, 'second', second)];
  await Promise.all(nodes.map((node) => node.start()));
  address = await TcpProxy.to(first);
  client = connectRedis(
    `redis://${SERVICE_ACCOUNT}:${servers.secrets.redisPassword}@127.0.0.1:${address.port}/0`,
  );
  client.on('error', () => undefined);
  await eventually('a connection', () => client.status === 'ready');
});
afterAll(async () => {
  client.disconnect();
  await address.close();
  await Promise.all(nodes.map((node) => node.stop()));
  await reaper.close();
});

test('a lock whose master was demoted to a replica reconnects to the new master', async () => {
  const [old, promoted] = nodes;
  const lock = new RedisLock(client, { prefix: 'lockstock:test:' });
  const acquired = async () => (await lock.acquire('failover', { waitMs: 0 })).release();
  expect(await acquired()).toBe(true);

  // The demoted server keeps the connection open, reads, and refuses every write.
  await old.ask((lab) => lab.replicaof('127.0.0.1', promoted.port));
  address.leadTo(promoted.port);
  await expect(acquired()).rejects.toThrow('READONLY');
  await eventually('the new master grants the lock', () => acquired().catch(() => false));
  expect(await promoted.ask((lab) => lab.get('lockstock:test:{failover}:fence'))).toBe('1');
  lock.close();
});
