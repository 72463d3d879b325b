/**
 * The store compares the token in the same statement as the write. The first holder is paused for longer than its lease,
 * resumes, does not check its signal, and writes. The lock cannot prevent that. The store does.
 *
 * Prints:
 *   the first holder reads 10, and is paused
 *   its lease ends; the second holder reads 10
 *   the second holder writes 9: 1 row changed
 *   the first holder resumes and writes 7: 0 rows changed
 *   the store has 9
 */
import { once } from 'node:events';
import { createConnection, type ResultSetHeader, type RowDataPacket } from 'mysql2/promise';
import { connectRedis, RedisLock } from '../index.js';

const client = connectRedis(process.env['REDIS_URL'] ?? 'redis://127.0.0.1:6379', { lazyConnect: true });
await client.connect();
const store = await createConnection(process.env['DATABASE_URL'] ?? 'mysql://root@127.0.0.1:3306/test');
await store.query('CREATE TEMPORARY TABLE stock (quantity INT NOT NULL, fence BIGINT NOT NULL)');
await store.query('INSERT INTO stock VALUES (10, 0)');

async function read(): Promise<number> {
  const [rows] = await store.query<RowDataPacket[]>('SELECT quantity FROM stock');
  return Number(rows[0]?.['quantity']);
}

/** The store accepts a token only if it is not older than the last one it accepted. */
async function write(quantity: number, token: bigint | undefined): Promise<number> {
  const [{ affectedRows }] = await store.query<ResultSetHeader>(
    'UPDATE stock SET quantity = ?, fence = ? WHERE fence <= ?',
    [quantity, token, token],
  );
  return affectedRows;
}

const lock = new RedisLock(client);
const first = await lock.acquire('example:fencing', { waitMs: 1000, leaseMs: 200 });
console.log(`the first holder reads ${await read()}, and is paused`);
if (!first.signal.aborted) await once(first.signal, 'abort');

await lock.using('example:fencing', { waitMs: 1000 }, async ({ token }) => {
  console.log(`its lease ends; the second holder reads ${await read()}`);
  console.log(`the second holder writes 9: ${await write(9, token)} row changed`);
});
console.log(`the first holder resumes and writes 7: ${await write(7, first.token)} rows changed`);
console.log(`the store has ${await read()}`);

await store.end();
lock.close();
client.disconnect();
