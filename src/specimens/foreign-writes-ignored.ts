import { checkpoint } from '../checkpoints/checkpoint.js';
import { Database } from '../database/database.js';
import { Ledger } from '../stock/ledger.js';
import { readStock, requireEnough } from '../stock/stock.js';
import { type DeductStrategy, Strategy, type Deduction, type DeductOrder } from '../strategies/strategy.js';
import { withNamedLock } from '../strategies/support/with-named-lock.js';

/** `named-lock`, but its write does not compare the version when another strategy wrote last. */
@Strategy({
  name: 'foreign-writes-ignored',
  family: 'specimen',
  lesson: 20,
  title: 'GET_LOCK, and a write that ignores other strategies',
  stock: 'mysql',
  needs: ['mysql'],
  safe: 'never',
  breaksUnder: ['concurrency'],
  teaches: 'A lock protects only from writers that acquire it.',
})
export class ForeignWritesIgnored implements DeductStrategy {
  constructor(
    private readonly database: Database,
    private readonly ledger: Ledger,
  ) {}

  deduct(order: DeductOrder): Promise<Deduction> {
    const sale = (waitedMs: number) =>
      this.database.transaction(async (sql) => {
        const row = await readStock(sql, order.goodsId);
        requireEnough(order, row);
        await checkpoint('afterRead');
        // `AND (last_writer = ? OR version = ?)` is missing.
        await sql.change(
          'UPDATE goods SET inventory = ?, version = version + 1, last_writer = ? WHERE id = ? AND run_id = ?',
          [row.inventory - order.quantity, order.strategy, order.goodsId, row.runId],
        );
        return this.ledger.sale(sql, order, { runId: row.runId, before: row.inventory, waitedMs });
      }, order);
    return this.database.connection(
      (sql) => withNamedLock(sql, order, this.database.lockWaitMs, sale),
      order,
    );
  }
}
