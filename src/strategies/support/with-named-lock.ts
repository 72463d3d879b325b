import { checkpoint } from '../../checkpoints/checkpoint.js';
import { type Sql } from '../../database/sql.js';
import { releaseNamedLock, takeNamedLock } from '../../locks/index.js';
import { type DeductOrder } from '../../stock/order.js';
import { releaseAfter } from './release-after.js';

/**
 * Runs `work` while holding the server's named lock of this goods. The lock belongs to the connection, so it must be
 * acquired, used and released on the same one; when the connection ends, the server frees the lock.
 */
export async function withNamedLock<T>(
  sql: Sql,
  order: DeductOrder,
  waitMs: number,
  work: (waitedMs: number) => Promise<T>,
): Promise<T> {
  const lock = namedLock(sql, order);
  await checkpoint('beforeLock');
  const waitedMs = await lock.acquire(waitMs);
  return releaseAfter(async () => {
    await checkpoint('afterLock');
    return work(waitedMs);
  }, lock.release);
}

interface NamedLock {
  /** Resolves with the milliseconds that it waited. */
  readonly acquire: (waitMs: number) => Promise<number>;
  readonly release: () => Promise<void>;
}

/** The named lock of the order's goods on one connection, for a caller that releases it itself. */
export function namedLock(sql: Sql, { goodsId }: DeductOrder): NamedLock {
  const name = `lockstock:goods:${goodsId}`;
  const query = (text: string, parameters: readonly unknown[]) => sql.rows<object>(text, parameters);
  return {
    acquire: (waitMs) => takeNamedLock(query, name, waitMs),
    release: async () => {
      await checkpoint('beforeUnlock');
      // If the release fails, the connection is closed, which frees the lock: a reused connection would still hold it.
      await sql.orBreak(() => releaseNamedLock(query, name));
    },
  };
}
