import { Database } from '../../database/database.js';
import { retryConflicts } from '../../stock/retry-conflicts.js';
import { Stock } from '../../stock/stock.js';
import { type DeductStrategy, Strategy, type Deduction, type DeductOrder } from '../strategy.js';
import { withNamedLock } from '../support/with-named-lock.js';

/** GET_LOCK, the whole transaction, RELEASE_LOCK: all on one connection, which frees both when it dies. */
@Strategy({
  name: 'named-lock',
  family: 'database',
  lesson: 5,
  title: 'GET_LOCK',
  stock: 'mysql',
  needs: ['mysql'],
  safe: 'always',
  breaksUnder: ['lost-reply'],
  teaches: 'A lock that lives and dies with the connection of the transaction it protects cannot outlive it.',
  useWhen: 'What must be locked is not a row, and the database is one server.',
  costs: 'Two statements more per sale, and a connection for everybody who waits.',
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
