import { type Sql } from '../database/sql.js';
import { LockTimeout } from '../locks/errors.js';
import { type DeductOrder } from './strategy.js';

/**
 * Holds the server's named lock of this goods around `work`. The lock belongs to the connection, so it must be
 * taken, used and given back on the same one; when the connection dies the server frees it.
 */
export async function withNamedLock<T>(
  sql: Sql,
  order: DeductOrder,
  waitMs: number,
  work: (waitedMs: number) => Promise<T>,
): Promise<T> {
  const name = `lockstock:goods:${order.goodsId}`;
  const started = performance.now();
  const answer = await sql.one<{ got: number | null }>('SELECT GET_LOCK(?, ?) AS got', [name, waitMs / 1000]);
  const waitedMs = performance.now() - started;
  // 0 is a timeout, NULL an error such as a killed wait: in both the lock is not ours.
  if (Number(answer?.got) !== 1) throw new LockTimeout(waitedMs);
  try {
    return await work(waitedMs);
  } finally {
    await sql.one('SELECT RELEASE_LOCK(?)', [name]);
  }
}
