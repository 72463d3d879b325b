/**
 * MySQL's GET_LOCK: no table and no lease. The lock lives as long as the connection of its holder: when that is gone, the
 * server frees it at once, and the holder's signal tells.
 *
 * Prints:
 *   held on a connection of its own
 *   another process: LockTimeout
 *   the server ends that connection: the signal is aborted
 *   the next got it, without waiting for a lease
 */
import { once } from 'node:events';
import { createConnection, type RowDataPacket } from 'mysql2/promise';
import { type DedicatedConnection, MysqlNamedLock } from '../index.js';

const url = process.env['DATABASE_URL'] ?? 'mysql://root@127.0.0.1:3306/test';

/** What the lock needs of a driver. Not from a pool: whoever got the connection next would have the lock. */
async function connect(): Promise<DedicatedConnection> {
  const connection = await createConnection(url);
  const broken = new AbortController();
  connection.on('error', () => {
    broken.abort();
  });
  return {
    query: async (sql, parameters) => (await connection.query<RowDataPacket[]>(sql, [...parameters]))[0],
    broken: broken.signal,
    close: () => {
      connection.destroy();
    },
  };
}

const lock = new MysqlNamedLock(connect);
const KEY = 'example:named';
const lease = await lock.acquire(KEY, { waitMs: 1000 });
console.log('held on a connection of its own');

await lock.acquire(KEY, { waitMs: 50 }).catch((error: unknown) => {
  console.log(`another process: ${error instanceof Error ? error.constructor.name : String(error)}`);
});

const lost = once(lease.signal, 'abort');
const admin = await createConnection(url);
const [rows] = await admin.query<RowDataPacket[]>('SELECT IS_USED_LOCK(?) AS id', [`lock:${KEY}`]);
await admin.query('KILL ?', [rows[0]?.['id']]);
await lost;
console.log('the server ends that connection: the signal is aborted');

const next = await lock.acquire(KEY, { waitMs: 1000 });
if (await next.release()) console.log('the next got it, without waiting for a lease');
await lease.release();
await admin.end();
