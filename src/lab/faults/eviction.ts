import { type Redis as Client } from 'ioredis';
import { type Scene } from '../experiments/scene.js';
import { type Node } from '../topologies/node.js';

const ROOM = 2_000_000;
const FILLER = 'x'.repeat(50_000);
const MOST_FILLERS = 2000;

/** Fills a Redis that may not evict anything, until it refuses to take more. Room is made by what is returned. */
export async function fillUp(scene: Scene, node: Node): Promise<() => Promise<void>> {
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
  scene.prove('Redis is full and refuses to take more', refusal.slice(0, 60), refusal.includes('OOM'));
  const [kept, evicted] = await node.ask(async (client) => [
    await client.exists(...before),
    await evictions(client),
  ]);
  scene.prove('it has kept everything', `evicted_keys ${evicted}`, evicted === 0 && kept === before.length);
  return () =>
    node.ask(async (client) => {
      await client.config('SET', 'maxmemory', '0');
      await client.del(...(await client.keys('filler:*')));
    });
}

async function limitMemory(client: Client, policy: 'allkeys-random' | 'noeviction'): Promise<void> {
  const used = Number(/used_memory:(\d+)/.exec(await client.info('memory'))?.[1] ?? 0);
  await client.config('SET', 'maxmemory-policy', policy, 'maxmemory', String(used + ROOM));
}

async function evictions(client: Client): Promise<number> {
  return Number(/evicted_keys:(\d+)/.exec(await client.info('stats'))?.[1] ?? 0);
}

/** Fills a Redis that may evict whatever it likes, until nothing of Lockstock is left in it. */
export async function evict(scene: Scene, node: Node): Promise<void> {
  const evicted = await node.ask(async (client) => {
    await limitMemory(client, 'allkeys-random');
    for (let n = 0; n < MOST_FILLERS && (await client.keys('lockstock:*')).length > 0; n += 1) {
      await client.set(`filler:${n}`, FILLER);
    }
    const gone = (await client.keys('lockstock:*')).length === 0;
    const count = await evictions(client);
    await client.config('SET', 'maxmemory-policy', 'noeviction', 'maxmemory', '0');
    return gone ? count : 0;
  });
  scene.prove('Redis has thrown keys away', `evicted_keys ${evicted}`, evicted > 0);
  const left = await node.ask(async (client) => (await client.keys('lockstock:*')).length);
  scene.prove('nothing of the shop is left in it', `${left} keys`, left === 0);
}
