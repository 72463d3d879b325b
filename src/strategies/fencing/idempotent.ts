import { randomUUID } from 'node:crypto';
import { checkpoint } from '../../checkpoints/checkpoint.js';
import { Database } from '../../database/database.js';
import { AlreadySold } from '../../errors.js';
import { Ledger } from '../../stock/ledger.js';
import { readStock, whyNotTaken } from '../../stock/stock.js';
import { type DeductStrategy, Strategy, type Deduction, type DeductOrder } from '../strategy.js';
import { GoodsLocks } from '../support/goods-locks.js';
import { withLock } from '../support/with-lock.js';

/**
 * The usual combination: a lock, so that requests take turns; a guarded write, so that nothing is oversold; and a log of
 * purchases by key. A client that retries after a lost answer gets the receipt from the log and does not buy twice.
 */
@Strategy({
  name: 'idempotent',
  family: 'fencing',
  lesson: 3,
  title: 'Idempotent log',
  stock: 'mysql',
  needs: ['mysql', 'redis'],
  safe: 'always',
  breaksUnder: [],
  teaches: 'A purchase that is recorded under its key can be repeated safely, whichever message was lost.',
  useWhen:
    'Clients repeat requests that got no answer, as all clients do: orders, payments, anything behind a network.',
  costs: 'One log row per purchase, in addition to the lock and the guarded write.',
})
export class Idempotent implements DeductStrategy {
  constructor(
    private readonly locks: GoodsLocks,
    private readonly database: Database,
    private readonly ledger: Ledger,
  ) {}

  deduct(order: DeductOrder): Promise<Deduction> {
    const key = order.idempotencyKey ?? randomUUID();
    return withLock(this.locks.plain, order, ({ waitedMs, attempts }) =>
      this.database.transaction(async (sql) => {
        await checkpoint('beforeWrite');
        const { affectedRows: sold } = await sql.change(
          `UPDATE goods SET inventory = inventory - ?, version = version + 1, last_writer = ?
           WHERE id = ? AND inventory >= ? AND stock_in = 'mysql'`,
          [order.quantity, order.strategy, order.goodsId, order.quantity],
        );
        await checkpoint('afterWrite');
        if (sold === 0) throw await whyNotTaken(sql, order);
        const row = await readStock(sql, order.goodsId);
        const { affectedRows: isNew } = await sql.change(
          'INSERT IGNORE INTO idempotent_log (goods_id, run_id, purchase) VALUES (?, ?, ?)',
          [order.goodsId, row.runId, key],
        );
        // Rolls the sale above back; the caller gets the receipt of the first one.
        if (isNew === 0) throw new AlreadySold();
        const before = row.inventory + order.quantity;
        return this.ledger.sale(sql, order, { runId: row.runId, before, waitedMs, attempts });
      }, order),
    );
  }
}
