/**
 * A fair lock serves callers in order of arrival, in whatever process they run. A caller that aborts leaves the queue.
 *
 * Prints:
 *   Ann holds the lock; Bob, Cid, Dee and Eve wait
 *   Cid aborts
 *   served: Bob, Dee, Eve
 */
import { connectRedis, FairRedisLock } from '../index.js';

const client = connectRedis(process.env['REDIS_URL'] ?? 'redis://127.0.0.1:6379', { lazyConnect: true });
await client.connect();
// Two lock objects stand for two processes. They share a connection, so that the order of arrival is certain.
const [here, there] = [new FairRedisLock(client), new FairRedisLock(client)];
const KEY = 'example:fair';

const served: string[] = [];
const queueUp = (lock: FairRedisLock, name: string, signal?: AbortSignal) =>
  lock.using(KEY, { waitMs: 10_000, signal }, () => Promise.resolve(served.push(name)));

const ann = await here.acquire(KEY, { waitMs: 1000 });
const abortCid = new AbortController();
const waiting = [
  queueUp(here, 'Bob'),
  queueUp(there, 'Cid', abortCid.signal),
  queueUp(there, 'Dee'),
  queueUp(here, 'Eve'),
];
const outcomes = Promise.allSettled(waiting);
console.log('Ann holds the lock; Bob, Cid, Dee and Eve wait');

abortCid.abort();
await waiting[1]?.catch(() => {
  console.log('Cid aborts');
});
await ann.release();
await outcomes;
console.log(`served: ${served.join(', ')}`);

here.close();
there.close();
client.disconnect();
