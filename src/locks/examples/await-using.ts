/**
 * `await using` gives the lock back at the end of the block, whichever way it is left.
 *
 * Prints:
 *   the first block holds it
 *   the work failed: no paper in the printer
 *   the second block got it without waiting
 *   released by hand: true, and once more: false
 */
import { connectRedis, RedisLock } from '../index.js';

const client = connectRedis(process.env['REDIS_URL'] ?? 'redis://127.0.0.1:6379', { lazyConnect: true });
await client.connect();
const lock = new RedisLock(client);

async function print(): Promise<void> {
  await using lease = await lock.acquire('example:await-using', { waitMs: 1000 });
  if (!lease.signal.aborted) console.log('the first block holds it');
  throw new Error('no paper in the printer');
}

await print().catch((error: unknown) => {
  console.log(`the work failed: ${error instanceof Error ? error.message : String(error)}`);
});

{
  await using lease = await lock.acquire('example:await-using', { waitMs: 0 });
  console.log('the second block got it without waiting');
  // May be done earlier; then the end of the block has nothing left to do.
  console.log(`released by hand: ${await lease.release()}, and once more: ${await lease.release()}`);
}

lock.close();
client.disconnect();
