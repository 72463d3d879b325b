import { checkpoint } from '../checkpoints/checkpoint.js';
import { type Database } from '../database/database.js';
import { type Ledger, type SaleCost } from '../stock/ledger.js';
import { readStock } from '../stock/stock.js';
import { type Deduction, type DeductOrder } from '../strategies/strategy.js';

/** Trusts Redis: what was deducted there is sold, and the write does not check that MySQL has any left. */
export function sellUnguarded(
  database: Database,
  ledger: Ledger,
  order: DeductOrder,
  cost: SaleCost = {},
): Promise<Deduction> {
  const { goodsId, quantity } = order;
  return database.transaction(async (sql) => {
    // `AND inventory >= ?` is missing.
    await sql.change(
      'UPDATE goods SET inventory = inventory - ?, version = version + 1, last_writer = ? WHERE id = ?',
      [quantity, order.strategy, goodsId],
    );
    const { inventory, runId } = await readStock(sql, goodsId);
    await checkpoint('afterWrite');
    return ledger.sale(sql, order, { runId, before: inventory + quantity, ...cost });
  }, order);
}
