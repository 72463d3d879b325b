import { Database } from '../../database/database.js';
import { retryConflicts } from '../../stock/retry-conflicts.js';
import { Stock } from '../../stock/stock.js';
import { type DeductStrategy, Strategy, type Deduction, type DeductOrder } from '../strategy.js';
import { withNamedLock } from '../support/with-named-lock.js';

/** GET_LOCK, the whole transaction, RELEASE_LOCK, all on one connection: when it breaks, lock and transaction end together. */
@Strategy({
  name: 'named-lock',
  family: 'database',
  lesson: 5,
  title: 'GET_LOCK',
  stock: 'mysql',
  needs: ['mysql'],
  safe: 'always',
  breaksUnder: ['lost-reply'],
  teaches: 'A lock that belongs to the connection of its transaction cannot outlive the transaction.',
  useWhen: 'The thing to lock is not a row, and the database is a single server.',
  costs: 'Two more statements per sale, and one connection per waiter.',
})
export class NamedLock implements DeductStrategy {
  constructor(
    private readonly database: Database,
    private readonly stock: Stock,
  ) {}

  deduct(order: DeductOrder): Promise<Deduction> {
    return this.database.connection(
      (sql) =>
        withNamedLock(sql, order, this.database.lockWaitMs, (waitedMs) =>
          // The conflict is a write by another strategy or a return: read again, under the same lock.
          retryConflicts(order, () =>
            this.database.transactionOn(
              sql,
              (tx) => this.stock.sellUnprotectedOn(tx, order, { waitedMs }),
              order,
            ),
          ),
        ),
      order,
    );
  }
}
