/**
 * A row as the lock, for projects that have only a database. It works with any pool, and its lease ends by the clock of the
 * server. There is no watchdog: choose a lease that is longer than the work.
 *
 * Prints:
 *   held
 *   another process: LockTimeout
 *   the lease ends: the signal is aborted, and the next process takes over the row
 *   a late release changes nothing: false
 *   released: true
 */
import { createPool, type ResultSetHeader } from 'mysql2/promise';
import { type ChangeRows, LOCK_ROWS_TABLE, MysqlRowLock } from '../index.js';

const pool = createPool(process.env['DATABASE_URL'] ?? 'mysql://root@127.0.0.1:3306/test');
await pool.query(LOCK_ROWS_TABLE);

const DUPLICATE = 1062;
/** What the lock needs from a driver: run one statement, count the rows that it changed. */
const change: ChangeRows = async (sql, parameters) => {
  try {
    const [result] = await pool.query<ResultSetHeader>(sql, [...parameters]);
    return result.affectedRows;
  } catch (error) {
    if (error instanceof Error && 'errno' in error && error.errno === DUPLICATE) return 0;
    throw error;
  }
};

// Two lock objects stand for two processes.
const [here, there] = [
  new MysqlRowLock(change, { leaseMs: 10_000 }),
  new MysqlRowLock(change, { leaseMs: 10_000 }),
];
const KEY = 'example:row';

const lease = await here.acquire(KEY, { waitMs: 1000, leaseMs: 1000 });
console.log('held');
await there.acquire(KEY, { waitMs: 0 }).catch((error: unknown) => {
  console.log(`another process: ${error instanceof Error ? error.constructor.name : String(error)}`);
});

const next = await there.acquire(KEY, { waitMs: 5000 });
if (lease.signal.aborted)
  console.log('the lease ends: the signal is aborted, and the next process takes over the row');
console.log(`a late release changes nothing: ${await lease.release()}`);
console.log(`released: ${await next.release()}`);
await pool.end();
