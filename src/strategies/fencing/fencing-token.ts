import { checkpoint } from '../../checkpoints/checkpoint.js';
import { Database } from '../../database/database.js';
import { type Sql } from '../../database/sql.js';
import { type Busy, StaleToken } from '../../errors.js';
import { type Lease } from '../../locks/index.js';
import { Ledger } from '../../stock/ledger.js';
import { retryConflicts } from '../../stock/retry-conflicts.js';
import {
  NO_FOREIGN_WRITE,
  readStock,
  requireEnough,
  type StockRow,
  whyNotWritten,
} from '../../stock/stock.js';
import { type DeductStrategy, Strategy, type Deduction, type DeductOrder } from '../strategy.js';
import { GoodsLocks } from '../support/goods-locks.js';
import { withLock } from '../support/with-lock.js';

/**
 * The lock issues a number that increases with every grant, and the store refuses a number that is not larger than the
 * last one it accepted. A holder that resumes too late is refused. Two holders whose numbers are both larger than the
 * stored one are both accepted, one after the other.
 */
@Strategy({
  name: 'fencing-token',
  family: 'fencing',
  lesson: 1,
  title: 'Fencing token',
  stock: 'mysql',
  needs: ['mysql', 'redis'],
  safe: 'while-the-lease-holds',
  breaksUnder: ['pause-both', 'clock-jump', 'eviction', 'lost-reply'],
  teaches:
    'A store that compares tokens stops a late writer, but not two writers whose tokens are both larger than the stored one.',
  useWhen:
    'A lock with a lease protects a store that can compare a number: the store then refuses a late writer.',
  costs: 'One column and one comparison in a write that is needed anyway.',
})
export class FencingToken implements DeductStrategy {
  constructor(
    private readonly locks: GoodsLocks,
    private readonly database: Database,
    private readonly ledger: Ledger,
  ) {}

  deduct(order: DeductOrder): Promise<Deduction> {
    return withLock(this.locks.fenced, order, (lease) =>
      // A write by another strategy, or a return, is a conflict and is retried; a larger token is final.
      retryConflicts(order, () => this.sellFenced(order, lease)),
    );
  }

  private sellFenced(order: DeductOrder, { token, attempts, waitedMs }: Lease): Promise<Deduction> {
    const { goodsId, quantity, strategy } = order;
    const fence = Number(token);
    return this.database.transaction(async (sql) => {
      const row = await readStock(sql, goodsId);
      requireEnough(order, row);
      await checkpoint('afterRead');
      const { affectedRows } = await sql.change(
        `UPDATE goods SET inventory = ?, version = version + 1, last_writer = ?, fence = ?
         WHERE id = ? AND run_id = ? AND fence < ? AND ${NO_FOREIGN_WRITE}`,
        [row.inventory - quantity, strategy, fence, goodsId, row.runId, fence, strategy, row.version],
      );
      if (affectedRows === 0) throw await this.whyRefused(sql, order, row, fence);
      const facts = { runId: row.runId, before: row.inventory, fence, attempts, waitedMs };
      return this.ledger.sale(sql, order, facts);
    }, order);
  }

  private async whyRefused(sql: Sql, { goodsId }: DeductOrder, read: StockRow, fence: number): Promise<Busy> {
    const row = await sql.one<{ fence: number }>('SELECT fence FROM goods WHERE id = ? FOR UPDATE', [
      goodsId,
    ]);
    return row && row.fence >= fence ? new StaleToken() : whyNotWritten(sql, goodsId, read);
  }
}
