/**
 * `await using` releases the lock at the end of the block, also when the block throws.
 *
 * Prints:
 *   the first block holds the lock
 *   the work failed: no paper in the printer
 *   the second block got the lock without waiting
 *   released by hand: true, and once more: false
 */
import { connectRedis, RedisLock } from '../index.js';

const client = connectRedis(process.env['REDIS_URL'] ?? 'redis://127.0.0.1:6379', { lazyConnect: true });
await client.connect();
const lock = new RedisLock(client);

async function print(): Promise<void> {
  await using lease = await lock.acquire('example:await-using', { waitMs: 1000 });
  if (!lease.signal.aborted) console.log('the first block holds the lock');
  throw new Error('no paper in the printer');
}

await print().catch((error: unknown) => {
  console.log(`the work failed: ${error instanceof Error ? error.message : String(error)}`);
});

{
  await using lease = await lock.acquire('example:await-using', { waitMs: 0 });
  console.log('the second block got the lock without waiting');
  // The lock may be released earlier; then the end of the block does nothing.
  console.log(`released by hand: ${await lease.release()}, and once more: ${await lease.release()}`);
}

lock.close();
client.disconnect();
