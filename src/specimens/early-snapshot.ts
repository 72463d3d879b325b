import { checkpoint } from '../checkpoints/checkpoint.js';
import { Database } from '../database/database.js';
import { Stock } from '../stock/stock.js';
import { type DeductStrategy, Strategy, type Deduction, type DeductOrder } from '../strategies/strategy.js';
import { releaseAfter } from '../strategies/support/release-after.js';
import { namedLock } from '../strategies/support/with-named-lock.js';

/** `named-lock`, but the transaction has begun, and has read something, before the lock is acquired. */
@Strategy({
  name: 'early-snapshot',
  family: 'specimen',
  lesson: 2,
  title: 'GET_LOCK inside a transaction that has already read',
  stock: 'mysql',
  needs: ['mysql'],
  safe: 'never',
  breaksUnder: ['concurrency'],
  teaches: 'A transaction sees the snapshot of its first SELECT; a lock acquired later does not refresh it.',
})
export class EarlySnapshot implements DeductStrategy {
  constructor(
    private readonly database: Database,
    private readonly stock: Stock,
  ) {}

  deduct(order: DeductOrder): Promise<Deduction> {
    const { goodsId } = order;
    return this.database.connection(async (sql) => {
      const lock = namedLock(sql, order);
      const sale = async () => {
        // REPEATABLE READ fixes the snapshot here, whatever is read.
        await sql.one('SELECT name FROM goods WHERE id = ?', [goodsId]);
        await checkpoint('beforeLock');
        const waitedMs = await lock.acquire(this.database.lockWaitMs);
        await checkpoint('afterLock');
        return this.stock.sellUnprotectedOn(sql, order, { waitedMs });
      };
      return releaseAfter(() => this.database.transactionOn(sql, sale, order), lock.release);
    }, order);
  }
}
