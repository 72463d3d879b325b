import { type Pool, type RowDataPacket } from 'mysql2/promise';
import { type HeldLock } from '../../../contract/lab-system.js';

const ANSWER_WITHIN_MS = 500;

interface LockRow extends RowDataPacket {
  readonly kind: string;
  readonly name: string;
  readonly owner: string;
  readonly ttlMs: number | null;
}

/** The lock rows that have not expired, and the named locks of goods. InnoDB's row locks are too short to be shown. */
export async function mysqlLocks(pool: Pool): Promise<HeldLock[]> {
  const [rows] = await pool.query<LockRow[]>({
    sql: `SELECT 'unique-row' AS kind, name, owner,
                 TIMESTAMPDIFF(MICROSECOND, UTC_TIMESTAMP(3), expires_at) DIV 1000 AS ttlMs
          FROM lock_rows WHERE expires_at > UTC_TIMESTAMP(3)
          UNION ALL
          SELECT 'named-lock', CONCAT('goods:', id), CONCAT('connection ', IS_USED_LOCK(CONCAT('lockstock:goods:', id))), NULL
          FROM goods WHERE IS_USED_LOCK(CONCAT('lockstock:goods:', id)) IS NOT NULL
          LIMIT 100`,
    timeout: ANSWER_WITHIN_MS,
  });
  return rows.map(({ kind, name, owner, ttlMs }) => ({
    kind,
    key: name,
    owner,
    token: null,
    ttlMs,
    waiters: null,
  }));
}
