import { checkpoint } from '../../checkpoints/checkpoint.js';
import { Database } from '../../database/database.js';
import { Conflict } from '../../errors.js';
import { Ledger } from '../../stock/ledger.js';
import { retryConflicts } from '../../stock/retry-conflicts.js';
import { NO_FOREIGN_WRITE, readStock, requireEnough } from '../../stock/stock.js';
import { type DeductStrategy, Strategy, type Deduction, type DeductOrder } from '../strategy.js';
import { GoodsLocks } from '../support/goods-locks.js';
import { withLock } from '../support/with-lock.js';

/**
 * The store grants the lease itself: each grant increments `lease_seq` in the stock row, and the write requires that
 * it has not changed since. At most one grant can match, whatever the state of the lock in Redis. That lock only keeps
 * requests from replacing each other's grants.
 */
@Strategy({
  name: 'lease-seq',
  family: 'fencing',
  lesson: 2,
  title: 'Lease kept by the store',
  stock: 'mysql',
  needs: ['mysql', 'redis'],
  safe: 'always',
  breaksUnder: ['lost-reply'],
  teaches: 'A lease that the store grants and compares for equality stops every late writer.',
  useWhen: 'A lock protects a row and no late write may succeed: the row itself records the current grant.',
  costs: 'One more UPDATE per sale, for the grant; a request whose grant was replaced retries.',
})
export class LeaseSeq implements DeductStrategy {
  constructor(
    private readonly locks: GoodsLocks,
    private readonly database: Database,
    private readonly ledger: Ledger,
  ) {}

  deduct(order: DeductOrder): Promise<Deduction> {
    return withLock(this.locks.plain, order, ({ waitedMs }) =>
      retryConflicts(order, (attempts) => this.sellUnderLease(order, { attempts, waitedMs })),
    );
  }

  private sellUnderLease(
    order: DeductOrder,
    cost: { attempts: number; waitedMs: number },
  ): Promise<Deduction> {
    const { goodsId, quantity, strategy } = order;
    return this.database.connection(async (connection) => {
      const { insertId: leaseSeq } = await connection.change(
        'UPDATE goods SET lease_seq = LAST_INSERT_ID(lease_seq + 1) WHERE id = ?',
        [goodsId],
      );
      const row = await readStock(connection, goodsId);
      requireEnough(order, row);
      await checkpoint('afterRead');
      return this.database.transactionOn(
        connection,
        async (sql) => {
          const { affectedRows } = await sql.change(
            `UPDATE goods SET inventory = ?, version = version + 1, last_writer = ?
             WHERE id = ? AND run_id = ? AND lease_seq = ? AND ${NO_FOREIGN_WRITE}`,
            [row.inventory - quantity, strategy, goodsId, row.runId, leaseSeq, strategy, row.version],
          );
          if (affectedRows === 0) throw new Conflict();
          return this.ledger.sale(sql, order, { ...cost, runId: row.runId, before: row.inventory, leaseSeq });
        },
        order,
      );
    }, order);
  }
}
