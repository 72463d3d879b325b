/**
 * A reentrant lock: what is called under the lock may take it again. The holder is the async context of `using`, so that
 * nothing need be handed down, and a neighbour in the same process does not slip in.
 *
 * Prints:
 *   selling a basket
 *   the pen enters again, with the basket's token: true
 *   the ink enters again, with the basket's token: true
 *   a neighbour is not let in: LockTimeout
 *   all have left, and the next has a larger token: true
 */
import { connectRedis, ReentrantRedisLock } from '../index.js';

const client = connectRedis(process.env['REDIS_URL'] ?? 'redis://127.0.0.1:6379', { lazyConnect: true });
await client.connect();
const lock = new ReentrantRedisLock(client);
const KEY = 'example:reentrant';

/** Locks for itself, because it may also be called alone. */
async function sell(goods: string, basket: bigint | undefined): Promise<void> {
  await lock.using(KEY, { waitMs: 0 }, ({ token }) => {
    console.log(`the ${goods} enters again, with the basket's token: ${token === basket}`);
    return Promise.resolve();
  });
}

let inside: () => void = () => undefined;
const entered = new Promise<void>((resolve) => (inside = resolve));
// Begun outside the `using` below: another context, although the same process and the same lock object.
const neighbour = entered.then(() => lock.acquire(KEY, { waitMs: 50 }));

const first = await lock.using(KEY, { waitMs: 1000 }, async ({ token }) => {
  console.log('selling a basket');
  await sell('pen', token);
  await sell('ink', token);
  inside();
  await neighbour.catch((error: unknown) => {
    console.log(
      `a neighbour is not let in: ${error instanceof Error ? error.constructor.name : String(error)}`,
    );
  });
  return token ?? 0n;
});

const next = await lock.acquire(KEY, { waitMs: 0 });
console.log(`all have left, and the next has a larger token: ${(next.token ?? 0n) > first}`);
await next.release();

lock.close();
client.disconnect();
