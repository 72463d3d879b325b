/**
 * A fair lock serves callers in the order in which they came, wherever they run. Who gives up leaves the queue.
 *
 * Prints:
 *   Ann has it; Bob, Cid, Dee and Eve queue up
 *   Cid gives up
 *   served: Bob, Dee, Eve
 */
import { connectRedis, FairRedisLock } from '../index.js';

const client = connectRedis(process.env['REDIS_URL'] ?? 'redis://127.0.0.1:6379', { lazyConnect: true });
await client.connect();
// Two lock objects stand for two processes. They share a connection, so that it is certain here who asks first.
const [here, there] = [new FairRedisLock(client), new FairRedisLock(client)];
const KEY = 'example:fair';

const served: string[] = [];
const queueUp = (lock: FairRedisLock, name: string, signal?: AbortSignal) =>
  lock.using(KEY, { waitMs: 10_000, signal }, () => Promise.resolve(served.push(name)));

const ann = await here.acquire(KEY, { waitMs: 1000 });
const patience = new AbortController();
const waiting = [
  queueUp(here, 'Bob'),
  queueUp(there, 'Cid', patience.signal),
  queueUp(there, 'Dee'),
  queueUp(here, 'Eve'),
];
const outcomes = Promise.allSettled(waiting);
console.log('Ann has it; Bob, Cid, Dee and Eve queue up');

patience.abort(new Error('no patience left'));
await waiting[1]?.catch(() => {
  console.log('Cid gives up');
});
await ann.release();
await outcomes;
console.log(`served: ${served.join(', ')}`);

here.close();
there.close();
client.disconnect();
