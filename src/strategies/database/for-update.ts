import { checkpoint } from '../../checkpoints/checkpoint.js';
import { Database } from '../../database/database.js';
import { Ledger } from '../../stock/ledger.js';
import { retryConflicts } from '../../stock/retry-conflicts.js';
import { known, requireEnough, STOCK_COLUMNS, type StockRow, writeStock } from '../../stock/stock.js';
import {
  type BasketStrategy,
  Strategy,
  type BasketOrder,
  type Deduction,
  type DeductOrder,
  lineOf,
} from '../strategy.js';

/** Lock the rows, check, then write. The locks last until COMMIT, so one transaction can cover several goods and a log. */
@Strategy({
  name: 'for-update',
  family: 'database',
  lesson: 2,
  title: 'SELECT … FOR UPDATE',
  stock: 'mysql',
  needs: ['mysql'],
  safe: 'always',
  breaksUnder: ['lost-reply'],
  teaches: 'The row lock lasts until COMMIT, so check and write are one step.',
  useWhen:
    'Several steps must see the same stock: several goods, a log, a price that depends on the remaining stock.',
  costs: 'Buyers of one goods are served one at a time, and each waiter holds a connection.',
})
export class ForUpdate implements BasketStrategy {
  constructor(
    private readonly database: Database,
    private readonly ledger: Ledger,
  ) {}

  async deduct(order: DeductOrder): Promise<Deduction> {
    const [sale] = await this.deductAll({ ...order, items: [order] });
    return sale as Deduction;
  }

  deductAll(basket: BasketOrder): Promise<Deduction[]> {
    const lines = basket.items.map((item) => lineOf(basket, item));
    // Other transactions may lock in another order: the server then rolls one of the two back (1213). This one is retried.
    return retryConflicts(basket, (attempts) =>
      this.database.transaction(async (sql) => {
        const started = performance.now();
        const rows: StockRow[] = [];
        // The locking read must be the first read: a plain SELECT before it would fix an older snapshot.
        for (const { goodsId } of lines) {
          const locked = await sql.one<StockRow>(
            `SELECT ${STOCK_COLUMNS} FROM goods WHERE id = ? FOR UPDATE`,
            [goodsId],
          );
          rows.push(known(goodsId, locked));
        }
        const waitedMs = performance.now() - started;
        await checkpoint('afterRead');
        const sales: Deduction[] = [];
        for (const [index, line] of lines.entries()) {
          const row = rows[index] as StockRow;
          requireEnough(line, row);
          await writeStock(sql, line, row);
          await checkpoint('afterWrite');
          sales.push(
            await this.ledger.sale(sql, line, {
              runId: row.runId,
              before: row.inventory,
              attempts,
              waitedMs,
            }),
          );
        }
        return sales;
      }, basket),
    );
  }
}
