/**
 * MySQL's GET_LOCK: no table and no lease. The lock belongs to the connection of its holder: when the connection breaks, the
 * server frees the lock at once, and the holder's signal is aborted.
 *
 * Prints:
 *   one process holds the lock, on a connection of its own
 *   another process: LockTimeout
 *   the server ends that connection: the signal is aborted
 *   the next process gets the lock, without waiting for a lease
 */
import { once } from 'node:events';
import { createConnection, type RowDataPacket } from 'mysql2/promise';
import { type DedicatedConnection, MysqlNamedLock } from '../index.js';

const url = process.env['DATABASE_URL'] ?? 'mysql://root@127.0.0.1:3306/test';

/** What the lock needs from a driver. The connection must not come from a pool: its next user would have the lock. */
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
console.log('one process holds the lock, on a connection of its own');

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
if (await next.release()) console.log('the next process gets the lock, without waiting for a lease');
await lease.release();
await admin.end();
