import { checkpoint } from '../checkpoints/checkpoint.js';
import { type Sql } from '../database/sql.js';
import { releaseNamedLock, takeNamedLock } from '../locks/index.js';
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
  const query = (text: string, parameters: readonly unknown[]) => sql.rows<object>(text, parameters);
  await checkpoint('beforeLock');
  const waitedMs = await takeNamedLock(query, name, waitMs);
  try {
    await checkpoint('afterLock');
    return await work(waitedMs);
  } finally {
    await checkpoint('beforeUnlock');
    await releaseNamedLock(query, name);
  }
}
