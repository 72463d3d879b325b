/**
 * A reentrant lock: functions that are called under the lock may acquire it again. The holder is the async context of
 * `using`, so no argument has to be passed down, and another caller in the same process still has to wait.
 *
 * Prints:
 *   selling a basket
 *   the pen enters again, with the basket's token: true
 *   the ink enters again, with the basket's token: true
 *   another caller in the same process has to wait: LockTimeout
 *   all entries are released; the next holder has a larger token: true
 */
import { connectRedis, ReentrantRedisLock } from '../index.js';

const client = connectRedis(process.env['REDIS_URL'] ?? 'redis://127.0.0.1:6379', { lazyConnect: true });
await client.connect();
const lock = new ReentrantRedisLock(client);
const KEY = 'example:reentrant';

/** Acquires the lock itself, because it may also be called on its own. */
async function sell(goods: string, basket: bigint | undefined): Promise<void> {
  await lock.using(KEY, { waitMs: 0 }, ({ token }) => {
    console.log(`the ${goods} enters again, with the basket's token: ${token === basket}`);
    return Promise.resolve();
  });
}

let inside: () => void = () => undefined;
const entered = new Promise<void>((resolve) => (inside = resolve));
// Started outside the `using` below: another context, although the process and the lock object are the same.
const otherCaller = entered.then(() => lock.acquire(KEY, { waitMs: 50 }));

const first = await lock.using(KEY, { waitMs: 1000 }, async ({ token }) => {
  console.log('selling a basket');
  await sell('pen', token);
  await sell('ink', token);
  inside();
  await otherCaller.catch((error: unknown) => {
    console.log(
      `another caller in the same process has to wait: ${error instanceof Error ? error.constructor.name : String(error)}`,
    );
  });
  return token ?? 0n;
});

const next = await lock.acquire(KEY, { waitMs: 0 });
console.log(`all entries are released; the next holder has a larger token: ${(next.token ?? 0n) > first}`);
await next.release();

lock.close();
client.disconnect();
