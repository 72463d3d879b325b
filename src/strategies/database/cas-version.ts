import { checkpoint } from '../../checkpoints/checkpoint.js';
import { Database } from '../../database/database.js';
import { Conflict } from '../../errors.js';
import { Ledger } from '../../stock/ledger.js';
import { retryConflicts } from '../../stock/retry-conflicts.js';
import { readStock, requireEnough } from '../../stock/stock.js';
import { type DeductStrategy, Strategy, type Deduction, type DeductOrder } from '../strategy.js';

/** Optimistic: read without a lock, and write only if the version is unchanged. A request that loses the race retries. */
@Strategy({
  name: 'cas-version',
  family: 'database',
  lesson: 3,
  title: 'Compare the version, then set',
  stock: 'mysql',
  needs: ['mysql'],
  safe: 'always',
  breaksUnder: ['lost-reply'],
  teaches:
    'A version that changes with every write detects a stale read; the price of contention is retries.',
  useWhen:
    'Conflicts are rare, or a person decides between read and write: nothing is locked in the meantime.',
  costs: 'Nothing without contention; under contention most attempts fail and are repeated.',
})
export class CasVersion implements DeductStrategy {
  constructor(
    private readonly database: Database,
    private readonly ledger: Ledger,
  ) {}

  deduct(order: DeductOrder): Promise<Deduction> {
    const started = performance.now();
    return retryConflicts(order, (attempts) =>
      this.database.transaction(async (sql) => {
        const row = await readStock(sql, order.goodsId);
        requireEnough(order, row);
        await checkpoint('afterRead');
        const waitedMs = performance.now() - started;
        // Comparing the inventory instead would miss a sale and a return in between (ABA).
        const { affectedRows } = await sql.change(
          `UPDATE goods SET inventory = ?, version = version + 1, last_writer = ?
           WHERE id = ? AND version = ? AND stock_in = 'mysql'`,
          [row.inventory - order.quantity, order.strategy, order.goodsId, row.version],
        );
        if (affectedRows === 0) throw new Conflict();
        return this.ledger.sale(sql, order, { runId: row.runId, before: row.inventory, attempts, waitedMs });
      }, order),
    );
  }
}
