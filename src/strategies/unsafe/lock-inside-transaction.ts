import { Database } from '../../database/database.js';
import { Stock } from '../../goods/stock.js';
import { withNamedLock } from '../named-lock.js';
import { retryConflicts } from '../retry.js';
import { type Deduction, type DeductOrder, type DeductStrategy, Strategy } from '../strategy.js';

/**
 * `named-lock` with two lines swapped: the lock is inside the transaction, so it is released before COMMIT. The next
 * holder reads the old stock, waits for the row lock until the first COMMIT, and then overwrites the new stock.
 */
@Strategy({
  name: 'lock-inside-transaction',
  family: 'unsafe',
  lesson: 3,
  title: 'Unlock before COMMIT',
  stock: 'mysql',
  needs: ['mysql'],
  safe: 'never',
  breaksUnder: ['concurrency', 'several-instances'],
  teaches: 'A lock must be held until the transaction that it protects has committed.',
  useWhen: 'Never: acquire the lock before the transaction begins, and release it after COMMIT.',
  costs: 'All the waiting of a lock, without its protection.',
})
export class LockInsideTransaction implements DeductStrategy {
  constructor(
    private readonly database: Database,
    private readonly stock: Stock,
  ) {}

  deduct(order: DeductOrder): Promise<Deduction> {
    return retryConflicts(order, () =>
      this.database.transaction(
        (sql) =>
          withNamedLock(sql, order, this.database.lockWaitMs, (waitedMs) =>
            this.stock.sellUnprotectedOn(sql, order, { waitedMs }),
          ),
        order,
      ),
    );
  }
}
