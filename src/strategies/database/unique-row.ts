import { Inject } from '@nestjs/common';
import { SETTINGS, type Settings } from '../../config/settings.js';
import { Database } from '../../database/database.js';
import { DEADLOCK, DUPLICATE_ENTRY, mysqlErrno } from '../../database/mysql-errors.js';
import { MysqlRowLock } from '../../locks/index.js';
import { LockCounts } from '../../metrics/lock-counts.js';
import { Stock } from '../../stock/stock.js';
import { type DeductStrategy, Strategy, type Deduction, type DeductOrder } from '../strategy.js';
import { type GoodsLock, withLock } from '../support/with-lock.js';

/** A row with a unique key is a lock: INSERT acquires it, DELETE releases it, and it expires if its holder crashes. */
@Strategy({
  name: 'unique-row',
  family: 'database',
  lesson: 4,
  title: 'A lock row by unique-key INSERT',
  stock: 'mysql',
  needs: ['mysql'],
  safe: 'while-the-lease-holds',
  breaksUnder: ['pause', 'pause-both', 'lost-reply'],
  teaches:
    'A unique key can be inserted only once, so the INSERT is the lock; its holder may still pause for longer than the lease.',
  useWhen: 'There is only a database, and the thing to lock is not one of its rows.',
  costs: 'Two more writes per sale, to acquire and to release the lock; waiters poll.',
})
export class UniqueRow implements DeductStrategy {
  private readonly lock: GoodsLock;

  constructor(
    private readonly database: Database,
    private readonly stock: Stock,
    counts: LockCounts,
    @Inject(SETTINGS) { lockLeaseMs, lockWaitMs }: Settings,
  ) {
    // Each statement commits by itself: a lock row inside the transaction would be invisible to other transactions.
    const lock = new MysqlRowLock((text, parameters) => this.changeRows(text, parameters), {
      leaseMs: lockLeaseMs,
    });
    this.lock = { lock: counts.of('unique-row', lock), waitMs: lockWaitMs };
  }

  deduct(order: DeductOrder): Promise<Deduction> {
    return withLock(this.lock, order, (lease) => this.stock.sellUnprotected(order, lease));
  }

  private changeRows(text: string, parameters: readonly unknown[]): Promise<number> {
    return this.database.connection(async (sql) => {
      for (;;) {
        try {
          return (await sql.change(text, parameters)).affectedRows;
        } catch (error) {
          if (mysqlErrno(error) === DUPLICATE_ENTRY) return 0;
          // Many INSERTs of the same key can deadlock in InnoDB. The one that it rolled back has changed nothing.
          if (mysqlErrno(error) !== DEADLOCK) throw error;
        }
      }
    });
  }
}
