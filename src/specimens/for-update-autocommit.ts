import { checkpoint } from '../checkpoints/checkpoint.js';
import { Database } from '../database/database.js';
import { Ledger } from '../stock/ledger.js';
import { known, requireEnough, STOCK_COLUMNS, type StockRow, writeStock } from '../stock/stock.js';
import { type DeductStrategy, Strategy, type Deduction, type DeductOrder } from '../strategies/strategy.js';

/** `for-update`, but the locking read is a transaction of its own, so its lock ends with the statement. */
@Strategy({
  name: 'for-update-autocommit',
  family: 'specimen',
  lesson: 3,
  title: 'SELECT … FOR UPDATE outside a transaction',
  stock: 'mysql',
  needs: ['mysql'],
  safe: 'never',
  breaksUnder: ['concurrency', 'several-instances'],
  teaches: 'A row lock lasts as long as its transaction; without BEGIN that is one statement.',
})
export class ForUpdateAutocommit implements DeductStrategy {
  constructor(
    private readonly database: Database,
    private readonly ledger: Ledger,
  ) {}

  deduct(order: DeductOrder): Promise<Deduction> {
    const { goodsId } = order;
    return this.database.connection(async (sql) => {
      const locked = await sql.one<StockRow>(`SELECT ${STOCK_COLUMNS} FROM goods WHERE id = ? FOR UPDATE`, [
        goodsId,
      ]);
      const row = known(goodsId, locked);
      await checkpoint('afterRead');
      requireEnough(order, row);
      // START TRANSACTION comes here, one statement too late.
      return this.database.transactionOn(
        sql,
        async () => {
          await writeStock(sql, order, row);
          await checkpoint('afterWrite');
          return this.ledger.sale(sql, order, { runId: row.runId, before: row.inventory });
        },
        order,
      );
    }, order);
  }
}
