import { type Redis as Client } from 'ioredis';
import { type ExperimentRun } from '../test-bed/experiment-run.js';
import { type Node } from '../topologies/node.js';

const ROOM = 2_000_000;
const FILLER = 'x'.repeat(50_000);
const MOST_FILLERS = 2000;

/** Fills a Redis that may not evict anything, until it refuses to take more. Room is made by what is returned. */
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
    return 'it took everything';
  });
  run.proveFault(
    'eviction',
    'Redis is full and refuses to take more',
    refusal.slice(0, 60),
    refusal.includes('OOM'),
  );
  const [kept, evicted] = await node.ask(async (client) => [
    await client.exists(...before),
    await evictions(client),
  ]);
  run.proveFault(
    'eviction',
    'it has kept everything',
    `evicted_keys ${evicted}`,
    evicted === 0 && kept === before.length,
  );
  return () =>
    node.ask(async (client) => {
      await client.config('SET', 'maxmemory', '0');
      await client.del(...(await client.keys('filler:*')));
    });
}

/** Whatever it likes, or what ends soonest of that which ends at all. */
export type EvictionPolicy = 'allkeys-random' | 'volatile-ttl';

async function limitMemory(client: Client, policy: EvictionPolicy | 'noeviction'): Promise<void> {
  const used = Number(/used_memory:(\d+)/.exec(await client.info('memory'))?.[1] ?? 0);
  await client.config('SET', 'maxmemory-policy', policy, 'maxmemory', String(used + ROOM));
}

async function evictions(client: Client): Promise<number> {
  return Number(/evicted_keys:(\d+)/.exec(await client.info('stats'))?.[1] ?? 0);
}

/** Fills a Redis until nothing of Lockstock is left in it that it may evict. */
export async function evict(run: ExperimentRun, node: Node, policy: EvictionPolicy): Promise<void> {
  const before = await node.ask((client) => evictable(client, policy));
  const evicted = await node.ask(async (client) => {
    const earlier = await evictions(client);
    await limitMemory(client, policy);
    for (let n = 0; n < MOST_FILLERS && (await evictable(client, policy)).length > 0; n += 1) {
      await client.set(`filler:${n}`, FILLER).catch(() => 'full: what it may evict goes first');
    }
    const count = await evictions(client);
    await client.config('SET', 'maxmemory-policy', 'noeviction', 'maxmemory', '0');
    return count - earlier;
  });
  const left = await node.ask((client) => evictable(client, policy));
  run.proveFault(
    'eviction',
    'Redis has thrown keys of the shop away',
    `evicted_keys ${evicted}, ${before.length} of the shop, then ${left.length}`,
    evicted > 0 && before.length > 0 && left.length === 0,
  );
}

/** The keys of the shop that the policy lets go. */
async function evictable(client: Client, policy: EvictionPolicy): Promise<string[]> {
  const keys = await client.keys('lockstock:*');
  if (policy === 'allkeys-random') return keys;
  const ends = await Promise.all(keys.map((key) => client.pttl(key)));
  return keys.filter((_, index) => (ends[index] ?? -1) >= 0);
}
