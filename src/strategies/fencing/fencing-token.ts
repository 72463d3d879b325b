import { checkpoint } from '../../checkpoints/checkpoint.js';
import { Database } from '../../database/database.js';
import { Conflict } from '../../errors.js';
import { Ledger } from '../../goods/ledger.js';
import { readStock, requireEnough } from '../../goods/stock.js';
import { RedisLocks } from '../redis-locks.js';
import { type Deduction, type DeductOrder, type DeductStrategy, Strategy } from '../strategy.js';

/**
 * The lock hands out a number that rises with every grant, and the store refuses a number that is not larger than
 * the last one it saw: a holder who wakes up too late is turned away. Two holders whose numbers are both larger
 * than the stored one still pass, one after the other.
 */
@Strategy({
  name: 'fencing-token',
  family: 'fencing',
  lesson: 1,
  title: 'Fencing token',
  stock: 'mysql',
  needs: ['mysql', 'redis'],
  safe: 'while-the-lease-holds',
  breaksUnder: ['pause-both', 'clock-jump', 'eviction', 'lost-reply'],
  teaches:
    'A store that compares tokens stops a late writer, but not two writers who both carry a larger one.',
  useWhen: 'A lock with a lease protects a store that can compare a number: a late writer is then refused.',
  costs: 'One column and one comparison, in a write that is made anyway.',
})
export class FencingToken implements DeductStrategy {
  constructor(
    private readonly locks: RedisLocks,
    private readonly database: Database,
    private readonly ledger: Ledger,
  ) {}

  deduct(order: DeductOrder): Promise<Deduction> {
    return this.locks.guard(this.locks.fenced, order, (lease) =>
      this.database.transaction(async (sql) => {
        const fence = Number(lease.token);
        const row = await readStock(sql, order.goodsId);
        requireEnough(order, row);
        await checkpoint('afterRead');
        const { affectedRows } = await sql.change(
          `UPDATE goods SET inventory = ?, version = version + 1, fence = ?
           WHERE id = ? AND run_id = ? AND fence < ?`,
          [row.inventory - order.quantity, fence, order.goodsId, row.runId, fence],
        );
        if (affectedRows === 0) throw new Conflict();
        const { attempts, waitedMs } = lease;
        return this.ledger.sale(sql, order, {
          runId: row.runId,
          before: row.inventory,
          fence,
          attempts,
          waitedMs,
        });
      }, order),
    );
  }
}
