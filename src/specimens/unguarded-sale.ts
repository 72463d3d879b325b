import { checkpoint } from '../checkpoints/checkpoint.js';
import { type Database } from '../database/database.js';
import { type Ledger, type SaleCost } from '../stock/ledger.js';
import { readStock } from '../stock/stock.js';
import { type Deduction, type DeductOrder } from '../strategies/strategy.js';

/** Takes Redis at its word: what the gate has let pass is sold, and MySQL is not asked whether any is left. */
export function sellUnguarded(
  database: Database,
  ledger: Ledger,
  order: DeductOrder,
  cost: SaleCost = {},
): Promise<Deduction> {
  const { goodsId, quantity } = order;
  return database.transaction(async (sql) => {
    // `AND inventory >= ?` is what is missing.
    await sql.change(
      'UPDATE goods SET inventory = inventory - ?, version = version + 1, last_writer = ? WHERE id = ?',
      [quantity, order.strategy, goodsId],
    );
    const { inventory, runId } = await readStock(sql, goodsId);
    await checkpoint('afterWrite');
    return ledger.sale(sql, order, { runId, before: inventory + quantity, ...cost });
  }, order);
}
