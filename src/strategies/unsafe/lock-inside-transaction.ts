import { Database } from '../../database/database.js';
import { retryConflicts } from '../../stock/retry-conflicts.js';
import { Stock } from '../../stock/stock.js';
import { type DeductStrategy, Strategy, type Deduction, type DeductOrder } from '../strategy.js';
import { withNamedLock } from '../support/with-named-lock.js';

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
