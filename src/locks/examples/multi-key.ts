/**
 * Several keys, all or none. Two transfers in opposite directions could deadlock, each holding one key. Here both acquire
 * the keys in the same order, in whatever order they name them.
 *
 * Prints:
 *   40 transfers, and no deadlock
 *   the sum is still 200
 *   one key is locked, so neither is acquired: LockTimeout
 *   the other key is free
 */
import { connectRedis, MultiLock, RedisLock } from '../index.js';

const client = connectRedis(process.env['REDIS_URL'] ?? 'redis://127.0.0.1:6379', { lazyConnect: true });
await client.connect();
const [here, there] = [new RedisLock(client), new RedisLock(client)];
const [left, right] = ['example:account:left', 'example:account:right'];

const accounts = new Map([
  [left, 100],
  [right, 100],
]);
/** Reads, waits, writes back: without both locks, the sum would change. */
async function transfer(from: string, to: string, amount: number): Promise<void> {
  const [debit, credit] = [accounts.get(from) ?? 0, accounts.get(to) ?? 0];
  await new Promise(setImmediate);
  accounts.set(from, debit - amount).set(to, credit + amount);
}

const transfers = Array.from({ length: 40 }, (_, i) => {
  const [from, to] = i % 2 === 0 ? [left, right] : [right, left];
  const lock = new MultiLock(i % 2 === 0 ? here : there);
  return lock.usingAll([from, to], { waitMs: 10_000 }, () => transfer(from, to, i));
});
await Promise.all(transfers);
console.log('40 transfers, and no deadlock');
console.log(`the sum is still ${(accounts.get(left) ?? 0) + (accounts.get(right) ?? 0)}`);

const taken = await here.acquire(right, { waitMs: 1000 });
await new MultiLock(there).acquireAll([left, right], { waitMs: 100 }).catch((error: unknown) => {
  const name = error instanceof Error ? error.constructor.name : String(error);
  console.log(`one key is locked, so neither is acquired: ${name}`);
});
await (await here.acquire(left, { waitMs: 0 })).release();
console.log('the other key is free');

await taken.release();
here.close();
there.close();
client.disconnect();
