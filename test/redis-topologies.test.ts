import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Redis as LabClient } from 'ioredis';
import { DataFolder } from '../src/lab/data-folder.js';
import { ask } from '../src/lab/engines/redis.js';
import { ProcessReaper } from '../src/lab/processes/process-reaper.js';
import { ClusterTopology } from '../src/lab/topologies/cluster.js';
import { type Node } from '../src/lab/topologies/node.js';
import { SentinelTopology } from '../src/lab/topologies/sentinel.js';
import { until } from '../src/lab/until.js';
import { connectRedis, type RedisClient, subscriberOf } from '../src/locks/redis/connect.js';
import { buyPatiently, count, crowd } from './support/buyers.js';
import { servers, TestShop } from './support/test-shop.js';

const COMMAND_TIMEOUT_MS = 1000;
/** The delay that is allowed on a busy machine. */
const SLACK_MS = 500;

let reaper: ProcessReaper;
let sentinel: SentinelTopology;
let cluster: ClusterTopology;
const clients: RedisClient[] = [];

beforeAll(async () => {
  reaper = new ProcessReaper();
  const folder = new DataFolder(mkdtempSync(join(tmpdir(), 'lockstock-topologies-')));
  reaper.addFile(folder.path);
  const options = { folder, reaper, secrets: servers.secrets };
  [sentinel, cluster] = await Promise.all([SentinelTopology.start(options), ClusterTopology.start(options)]);
});
afterAll(async () => {
  await Promise.all([sentinel.stop(), cluster.stop()]);
  await reaper.close();
});
afterEach(() => {
  for (const client of clients.splice(0)) client.disconnect();
});

async function connect(url: string): Promise<RedisClient> {
  const client = connectRedis(url);
  client.on('error', () => undefined);
  clients.push(client);
  await until('a connection', () => Promise.resolve(client.status === 'ready'));
  return client;
}

/** Collects the messages of the channel from now on. */
async function listen(client: RedisClient, channel: string): Promise<Set<string>> {
  const subscriber = subscriberOf(client);
  subscriber.on('error', () => undefined);
  clients.push(subscriber);
  const heard = new Set<string>();
  subscriber.on('message', (_channel: string, message: string) => heard.add(message));
  await subscriber.subscribe(channel);
  return heard;
}

type Question = (lab: LabClient) => Promise<unknown>;

/** Each form of REDIS_URL, and the servers that take writes behind it. */
const forms = [
  {
    form: 'redis://',
    url: () => servers.redisUrl,
    writable: (question: Question) => ask(servers.redisLabUrl, question),
  },
  {
    form: 'redis+sentinel://',
    url: () => sentinel.url,
    writable: async (question: Question) => (await sentinel.master()).ask(question),
  },
  {
    form: 'redis+cluster://',
    url: () => cluster.url,
    writable: (question: Question) => Promise.all(cluster.nodes.map((node) => node.ask(question))),
  },
];

describe.each(forms)('$form', ({ url, writable }) => {
  test('commands, scripts over the keys of one goods, and messages work', async () => {
    const client = await connect(url());
    // All at the same time, on connections that are not open yet.
    const keys = Array.from({ length: 60 }, (_, goods) => `lockstock:{goods:${goods}}:stock`);
    await Promise.all(keys.map((key, goods) => client.set(key, goods)));
    expect(await Promise.all(keys.map((key) => client.get(key)))).toEqual(
      keys.map((_, goods) => String(goods)),
    );
    const moved = await client.eval(
      `redis.call('DECR', KEYS[1]) return redis.call('INCR', KEYS[2])`,
      2,
      'lockstock:{goods:7}:stock',
      'lockstock:{goods:7}:sold',
    );
    expect(moved).toBe(1);
    expect(await client.get('lockstock:{goods:7}:stock')).toBe('6');
    await Promise.all([...keys, 'lockstock:{goods:7}:sold'].map((key) => client.del(key)));

    const heard = await listen(client, 'lockstock:{goods:1}:free');
    await client.publish('lockstock:{goods:1}:free', 'yours');
    await until('the message', () => Promise.resolve(heard.has('yours')));
  });

  test('a command whose connection breaks fails, and is not sent again', async () => {
    const client = await connect(url());
    const key = 'lockstock:{goods:1}:once';
    await client.del(key);
    await writable((lab) => lab.call('CLIENT', 'PAUSE', 10_000, 'WRITE'));
    const outcome = client.incr(key).then(
      () => 'answered',
      () => 'failed',
    );
    await until('the command is there', async () =>
      [await writable((lab) => lab.call('CLIENT', 'LIST', 'TYPE', 'normal'))]
        .flat()
        .join()
        .includes('cmd=incr'),
    );
    await writable((lab) => lab.call('CLIENT', 'KILL', 'TYPE', 'normal'));
    await writable((lab) => lab.call('CLIENT', 'UNPAUSE'));
    expect(await outcome).toBe('failed');
    expect(await until('connected again', () => client.exists(key).then((n) => ({ n })))).toEqual({ n: 0 });
  });

  test('a shop runs on it', async () => {
    const shop = await TestShop.open({ instances: 1, env: { REDIS_URL: url() } });
    try {
      expect(await shop.get('/health/ready')).toMatchObject({ status: 'ok', engines: { redis: 'up' } });
      await shop.reset(1, 77, 'redis');
      expect(await (await connect(url())).get('lockstock:{goods:1}:stock')).toBe('77');
      expect(await shop.audit(1)).toMatchObject({ redisRemaining: 77, verdict: 'SAFE' });
      for (const strategy of ['redis-watch', 'redis-decr', 'redis-lua']) {
        const outcomes = await crowd(10, () => buyPatiently(shop, { strategy }));
        expect(count(outcomes, 'sold')).toBe(10);
      }
      expect(await shop.settledAudit(1)).toMatchObject({ redisRemaining: 47, sold: 30, verdict: 'SAFE' });
    } finally {
      await shop.close();
    }
  });
});

describe('a failover by Sentinel', () => {
  /** Writes until the client is connected to the new master. */
  async function writeThrough(client: RedisClient, change: () => Promise<Node>) {
    const seen = { failed: 0, slowestMs: 0 };
    const watched = async <T>(command: Promise<T>): Promise<T | undefined> => {
      const started = performance.now();
      const answer = await command.catch(() => undefined);
      seen.slowestMs = Math.max(seen.slowestMs, performance.now() - started);
      if (answer === undefined) seen.failed += 1;
      return answer;
    };
    let newMaster: Node | undefined;
    // A client that does not know of the failover may still write to the old master, and lose the write.
    const followed = async () => {
      await watched(client.incr('lockstock:writes'));
      const server = await watched(client.info('server'));
      return newMaster !== undefined && server?.includes(`tcp_port:${newMaster.port}`);
    };
    await Promise.all([
      change().then((node) => (newMaster = node)),
      until('the client at the new master', followed),
    ]);
    return seen;
  }

  test.each([
    ['as planned', () => sentinel.failover()],
    [
      'after kill -9',
      async () => {
        const master = await sentinel.master();
        await master.kill();
        return sentinel.newMaster(master);
      },
    ],
    [
      'after it stopped, with every connection still open',
      async () => {
        const master = await sentinel.master();
        master.signal('SIGSTOP');
        return sentinel.newMaster(master);
      },
    ],
  ])('%s: the client follows, no command hangs, subscriptions survive', async (_how, change) => {
    const client = await connect(sentinel.url);
    const heard = await listen(client, 'lockstock:news');
    const others = await Promise.all(Array.from({ length: 20 }, () => connect(sentinel.url)));
    await client.set('lockstock:before', 'kept');
    await until('a replica has it', async () => (await client.wait(1, 500)) > 0);

    const { failed, slowestMs } = await writeThrough(client, change);
    expect(failed).toBeGreaterThan(0);
    expect(slowestMs).toBeLessThan(COMMAND_TIMEOUT_MS + SLACK_MS);
    expect(await until('an answer', async () => client.get('lockstock:before'))).toBe('kept');
    await until('a message', async () => {
      await client.publish('lockstock:news', 'still here');
      return heard.has('still here');
    });
    // More than a few of them.
    await Promise.all(others.map((other) => until('every client', () => other.incr('lockstock:writes'))));
  });
});

test('the masters of Redlock do not replicate from each other', async () => {
  expect(servers.redlockUrls).toHaveLength(5);
  const masters = await Promise.all(servers.redlockUrls.map(connect));
  const key = 'lockstock:vote';
  expect(await masters[0]?.set(key, 'mine')).toBe('OK');
  expect(await Promise.all(masters.map((master) => master.get(key)))).toEqual([
    'mine',
    null,
    null,
    null,
    null,
  ]);
  await masters[0]?.del(key);
});
