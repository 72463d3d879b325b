/**
 * Try once, wait for a while, or wait until the caller aborts. A wait that has ended leaves nothing behind.
 *
 * Prints:
 *   one process holds the lock
 *   tried once: LockTimeout
 *   waited for 100 ms: LockTimeout
 *   the caller aborted: the customer has closed the page
 *   after the release the lock is free at once
 */
import { connectRedis, LockTimeout, RedisLock } from '../index.js';

const client = connectRedis(process.env['REDIS_URL'] ?? 'redis://127.0.0.1:6379', { lazyConnect: true });
await client.connect();
// Two lock objects stand for two processes.
const theirs = new RedisLock(client);
const ours = new RedisLock(client);

const held = await theirs.acquire('example:waiting', { waitMs: 1000 });
console.log('one process holds the lock');

for (const [what, waitMs] of [
  ['tried once', 0],
  ['waited for 100 ms', 100],
] as const) {
  try {
    await ours.acquire('example:waiting', { waitMs });
  } catch (error) {
    // LockTimeout means that another client has the lock. Any other error means that Redis did not answer.
    if (!(error instanceof LockTimeout)) throw error;
    console.log(`${what}: LockTimeout`);
  }
}

const caller = new AbortController();
const waiting = ours.acquire('example:waiting', { waitMs: 30_000, signal: caller.signal });
caller.abort(new Error('the customer has closed the page'));
await waiting.catch((error: unknown) => {
  console.log(`the caller aborted: ${error instanceof Error ? error.message : String(error)}`);
});

await held.release();
const lease = await ours.acquire('example:waiting', { waitMs: 0 });
console.log('after the release the lock is free at once');
await lease.release();

ours.close();
theirs.close();
client.disconnect();
