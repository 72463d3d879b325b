import { checkpoint } from '../checkpoints/checkpoint.js';
import { type Database } from '../database/database.js';
import { Conflict } from '../errors.js';
import { type Ledger, type SaleCost } from '../stock/ledger.js';
import { NO_FOREIGN_WRITE, readStock, requireEnough } from '../stock/stock.js';
import { type Deduction, type DeductOrder } from '../strategies/strategy.js';

/** The sale of `fencing-token`, for specimens whose token, or whose comparison, is wrong. */
export function sellFenced(
  database: Database,
  ledger: Ledger,
  order: DeductOrder,
  fence: number,
  accepted: 'fence < ?' | 'fence <= ?',
  { attempts, waitedMs }: SaleCost,
): Promise<Deduction> {
  const { goodsId, quantity, strategy } = order;
  return database.transaction(async (sql) => {
    const row = await readStock(sql, goodsId);
    requireEnough(order, row);
    await checkpoint('afterRead');
    const { affectedRows } = await sql.change(
      `UPDATE goods SET inventory = ?, version = version + 1, last_writer = ?, fence = ?
       WHERE id = ? AND run_id = ? AND ${accepted} AND ${NO_FOREIGN_WRITE}`,
      [row.inventory - quantity, strategy, fence, goodsId, row.runId, fence, strategy, row.version],
    );
    if (affectedRows === 0) throw new Conflict();
    const facts = { runId: row.runId, before: row.inventory, fence, attempts, waitedMs };
    return ledger.sale(sql, order, facts);
  }, order);
}
