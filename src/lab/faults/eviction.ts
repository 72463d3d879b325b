import { type Scene } from '../experiments/scene.js';
import { type Node } from '../topologies/node.js';

const ROOM = 2_000_000;
const FILLER = 'x'.repeat(50_000);
const MOST_FILLERS = 2000;

/** Fills a Redis that may evict whatever it likes, until nothing of Lockstock is left in it. */
export async function evict(scene: Scene, node: Node): Promise<void> {
  const evicted = await node.ask(async (client) => {
    const used = Number(/used_memory:(\d+)/.exec(await client.info('memory'))?.[1] ?? 0);
    await client.config('SET', 'maxmemory-policy', 'allkeys-random', 'maxmemory', String(used + ROOM));
    for (let n = 0; n < MOST_FILLERS && (await client.keys('lockstock:*')).length > 0; n += 1) {
      await client.set(`filler:${n}`, FILLER);
    }
    const gone = (await client.keys('lockstock:*')).length === 0;
    const count = Number(/evicted_keys:(\d+)/.exec(await client.info('stats'))?.[1] ?? 0);
    await client.config('SET', 'maxmemory-policy', 'noeviction', 'maxmemory', '0');
    return gone ? count : 0;
  });
  scene.prove('Redis has thrown keys away', `evicted_keys ${evicted}`, evicted > 0);
  const left = await node.ask(async (client) => (await client.keys('lockstock:*')).length);
  scene.prove('nothing of the shop is left in it', `${left} keys`, left === 0);
}
