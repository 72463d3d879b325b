import { checkpoint } from '../../checkpoints/checkpoint.js';
import { Database } from '../../database/database.js';
import { type Sql } from '../../database/sql.js';
import { Ledger } from '../../stock/ledger.js';
import { readStock, whyNotTaken } from '../../stock/stock.js';
import {
  type BasketStrategy,
  Strategy,
  type BasketOrder,
  type Deduction,
  type DeductOrder,
  lineOf,
} from '../strategy.js';

/** The check is in the WHERE of the write. The shortest safe way, for one row; a basket is one such write per goods. */
@Strategy({
  name: 'sql-atomic',
  family: 'database',
  lesson: 1,
  title: 'UPDATE … WHERE inventory >= n',
  stock: 'mysql',
  needs: ['mysql'],
  safe: 'always',
  breaksUnder: ['lost-reply'],
  teaches: 'Check and write in one statement are one step: no other write can come between them.',
  useWhen: 'The first choice for one row or a few: no lock, no retry, no second server.',
  costs: 'One statement for check and write; buyers of one goods are served one commit at a time.',
})
export class SqlAtomic implements BasketStrategy {
  constructor(
    private readonly database: Database,
    private readonly ledger: Ledger,
  ) {}

  deduct(order: DeductOrder): Promise<Deduction> {
    return this.database.transaction((sql) => this.sell(sql, order), order);
  }

  deductAll(basket: BasketOrder): Promise<Deduction[]> {
    return this.database.transaction(async (sql) => {
      const sales: Deduction[] = [];
      for (const item of basket.items) sales.push(await this.sell(sql, lineOf(basket, item)));
      return sales;
    }, basket);
  }

  private async sell(sql: Sql, order: DeductOrder): Promise<Deduction> {
    await checkpoint('beforeWrite');
    const started = performance.now();
    const { affectedRows } = await sql.change(
      `UPDATE goods SET inventory = inventory - ?, version = version + 1, last_writer = ?
       WHERE id = ? AND inventory >= ? AND stock_in = 'mysql'`,
      [order.quantity, order.strategy, order.goodsId, order.quantity],
    );
    const waitedMs = performance.now() - started;
    await checkpoint('afterWrite');
    if (affectedRows === 0) throw await whyNotTaken(sql, order);
    // This transaction holds the row lock until COMMIT, so a plain read of the row is exact.
    const row = await readStock(sql, order.goodsId);
    return this.ledger.sale(sql, order, {
      runId: row.runId,
      before: row.inventory + order.quantity,
      waitedMs,
    });
  }
}
