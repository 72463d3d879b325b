import { checkpoint } from '../../checkpoints/checkpoint.js';
import { Database } from '../../database/database.js';
import { StockElsewhere } from '../../errors.js';
import { Ledger } from '../../stock/ledger.js';
import { readStock, requireEnough } from '../../stock/stock.js';
import { type DeductStrategy, Strategy, type Deduction, type DeductOrder } from '../strategy.js';

/**
 * No update is lost, because SQL subtracts. But the check may be stale when the UPDATE runs, and the stock becomes
 * negative.
 */
@Strategy({
  name: 'check-then-act',
  family: 'unsafe',
  lesson: 2,
  title: 'Check in the program, subtract in SQL',
  stock: 'mysql',
  needs: ['mysql'],
  safe: 'never',
  breaksUnder: ['concurrency', 'several-instances'],
  teaches: 'A check protects nothing unless it is part of the write.',
  useWhen: 'Never: put the check into the UPDATE, as sql-atomic does.',
  costs: 'One more read than sql-atomic, and a stock below zero.',
})
export class CheckThenAct implements DeductStrategy {
  constructor(
    private readonly database: Database,
    private readonly ledger: Ledger,
  ) {}

  deduct(order: DeductOrder): Promise<Deduction> {
    return this.database.transaction(async (sql) => {
      requireEnough(order, await readStock(sql, order.goodsId));
      await checkpoint('afterRead');
      const { affectedRows } = await sql.change(
        `UPDATE goods SET inventory = inventory - ?, version = version + 1, last_writer = ?
         WHERE id = ? AND stock_in = 'mysql'`,
        [order.quantity, order.strategy, order.goodsId],
      );
      if (affectedRows === 0) throw new StockElsewhere(order.goodsId);
      const row = await readStock(sql, order.goodsId);
      return this.ledger.sale(sql, order, { runId: row.runId, before: row.inventory + order.quantity });
    }, order);
  }
}
