import { type Redis as Client } from 'ioredis';
import { type ExperimentRun } from '../test-bed/experiment-run.js';
import { type Node } from '../topologies/node.js';

const ROOM = 2_000_000;
const FILLER = 'x'.repeat(50_000);
const MOST_FILLERS = 2000;

/** Fills a Redis that may not evict until it refuses writes. The returned function removes the filling. */
export async function fillUp(run: ExperimentRun, node: Node): Promise<() => Promise<void>> {
  const before = await node.ask((client) => client.keys('lockstock:*'));
  const refusal = await node.ask(async (client) => {
    await limitMemory(client, 'noeviction');
    for (let n = 0; n < MOST_FILLERS; n += 1) {
      const refused = await client.set(`filler:${n}`, FILLER).then(
        () => undefined,
        (error: unknown) => String(error),
      );
      if (refused !== undefined) return refused;
    }
    return 'no write was refused';
  });
  run.proveFault(
    'eviction',
    'Redis is full and refuses writes',
    refusal.slice(0, 60),
    refusal.includes('OOM'),
  );
  const [kept, evicted] = await node.ask(async (client) => [
    await client.exists(...before),
    await evictions(client),
  ]);
  run.proveFault(
    'eviction',
    'it kept every key',
    `evicted_keys ${evicted}`,
    evicted === 0 && kept === before.length,
  );
  return () =>
    node.ask(async (client) => {
      await client.config('SET', 'maxmemory', '0');
      await client.del(...(await client.keys('filler:*')));
    });
}

/** Any key, or of the keys with an expiry the one that expires first. */
export type EvictionPolicy = 'allkeys-random' | 'volatile-ttl';

async function limitMemory(client: Client, policy: EvictionPolicy | 'noeviction'): Promise<void> {
  const used = Number(/used_memory:(\d+)/.exec(await client.info('memory'))?.[1] ?? 0);
  await client.config('SET', 'maxmemory-policy', policy, 'maxmemory', String(used + ROOM));
}

async function evictions(client: Client): Promise<number> {
  return Number(/evicted_keys:(\d+)/.exec(await client.info('stats'))?.[1] ?? 0);
}

/** Fills a Redis until it has evicted every key of Lockstock that the policy allows. */
export async function evict(run: ExperimentRun, node: Node, policy: EvictionPolicy): Promise<void> {
  const before = await node.ask((client) => evictable(client, policy));
  const evicted = await node.ask(async (client) => {
    const earlier = await evictions(client);
    await limitMemory(client, policy);
    for (let n = 0; n < MOST_FILLERS && (await evictable(client, policy)).length > 0; n += 1) {
      await client.set(`filler:${n}`, FILLER).catch(() => 'full: Redis evicts first');
    }
    const count = await evictions(client);
    await client.config('SET', 'maxmemory-policy', 'noeviction', 'maxmemory', '0');
    return count - earlier;
  });
  const left = await node.ask((client) => evictable(client, policy));
  run.proveFault(
    'eviction',
    'Redis evicted keys of the shop',
    `evicted_keys ${evicted}, ${before.length} of the shop, then ${left.length}`,
    evicted > 0 && before.length > 0 && left.length === 0,
  );
}

/** The keys of the shop that the policy may evict. */
async function evictable(client: Client, policy: EvictionPolicy): Promise<string[]> {
  const keys = await client.keys('lockstock:*');
  if (policy === 'allkeys-random') return keys;
  const ends = await Promise.all(keys.map((key) => client.pttl(key)));
  return keys.filter((_, index) => (ends[index] ?? -1) >= 0);
}
