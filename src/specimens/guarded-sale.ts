import { checkpoint } from '../checkpoints/checkpoint.js';
import { type Database } from '../database/database.js';
import { Conflict } from '../errors.js';
import { type Lease } from '../locks/index.js';
import { type Ledger } from '../stock/ledger.js';
import { NO_FOREIGN_WRITE, readStock, requireEnough } from '../stock/stock.js';
import { type Deduction, type DeductOrder } from '../strategies/strategy.js';

/**
 * A sale under a lock whose grants are numbered. The number is written to the store before anything is read, and the
 * write of the sale requires that it is unchanged: a later holder replaces it with a larger one.
 */
export async function sellGuarded(
  database: Database,
  ledger: Ledger,
  order: DeductOrder,
  { token, attempts, waitedMs }: Lease,
): Promise<Deduction> {
  const fence = Number(token);
  const { goodsId, quantity, strategy } = order;
  await database.connection(async (sql) => {
    const { affectedRows } = await sql.change('UPDATE goods SET fence = ? WHERE id = ? AND fence < ?', [
      fence,
      goodsId,
      fence,
    ]);
    if (affectedRows === 0) throw new Conflict();
  }, order);
  return database.transaction(async (sql) => {
    const row = await readStock(sql, goodsId);
    requireEnough(order, row);
    await checkpoint('afterRead');
    const { affectedRows } = await sql.change(
      `UPDATE goods SET inventory = ?, version = version + 1, last_writer = ?
       WHERE id = ? AND run_id = ? AND fence = ? AND ${NO_FOREIGN_WRITE}`,
      [row.inventory - quantity, strategy, goodsId, row.runId, fence, strategy, row.version],
    );
    if (affectedRows === 0) throw new Conflict();
    await checkpoint('afterWrite');
    const facts = { runId: row.runId, before: row.inventory, fence, attempts, waitedMs };
    return ledger.sale(sql, order, facts);
  }, order);
}
