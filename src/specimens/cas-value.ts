import { checkpoint } from '../checkpoints/checkpoint.js';
import { Database } from '../database/database.js';
import { Conflict } from '../errors.js';
import { Ledger } from '../stock/ledger.js';
import { retryConflicts } from '../stock/retry-conflicts.js';
import { readStock, requireEnough } from '../stock/stock.js';
import { type DeductStrategy, Strategy, type Deduction, type DeductOrder } from '../strategies/strategy.js';

/** `cas-version`, but it compares the stock itself: a stock that has changed and changed back looks untouched (ABA). */
@Strategy({
  name: 'cas-value',
  family: 'specimen',
  lesson: 11,
  title: 'Compare the stock, then set',
  stock: 'mysql',
  needs: ['mysql'],
  safe: 'never',
  breaksUnder: ['concurrency'],
  teaches: 'An equal value does not prove that nothing has happened; a version that only increases does.',
})
export class CasValue implements DeductStrategy {
  constructor(
    private readonly database: Database,
    private readonly ledger: Ledger,
  ) {}

  deduct(order: DeductOrder): Promise<Deduction> {
    return retryConflicts(order, (attempts) =>
      this.database.transaction(async (sql) => {
        const row = await readStock(sql, order.goodsId);
        requireEnough(order, row);
        await checkpoint('afterRead');
        // `cas-version` says `AND version = ?` here.
        const { affectedRows } = await sql.change(
          'UPDATE goods SET inventory = ?, version = version + 1, last_writer = ? WHERE id = ? AND inventory = ?',
          [row.inventory - order.quantity, order.strategy, order.goodsId, row.inventory],
        );
        if (affectedRows === 0) throw new Conflict();
        return this.ledger.sale(sql, order, { runId: row.runId, before: row.inventory, attempts });
      }, order),
    );
  }
}
