import { Inject } from '@nestjs/common';
import { SETTINGS, type Settings } from '../../config/settings.js';
import { Database } from '../../database/database.js';
import { DEADLOCK, DUPLICATE_ENTRY, mysqlErrno } from '../../database/mysql-errors.js';
import { MysqlRowLock } from '../../locks/index.js';
import { LockCounts } from '../../metrics/lock-counts.js';
import { Stock } from '../../stock/stock.js';
import { type DeductStrategy, Strategy, type Deduction, type DeductOrder } from '../strategy.js';
import { type GoodsLock, withLock } from '../support/with-lock.js';

/** A row with a unique key is a lock: INSERT takes it, DELETE gives it back, its expiry saves it from a dead holder. */
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
    'A unique key can only be inserted once, so the INSERT is the lock; its owner may still outsleep it.',
  useWhen: 'There is a database and nothing else, and what must be locked is not a row of it.',
  costs: 'Two writes more per sale, to take the lock and to give it back; waiters ask again and again.',
})
export class UniqueRow implements DeductStrategy {
  private readonly lock: GoodsLock;

  constructor(
    private readonly database: Database,
    private readonly stock: Stock,
    counts: LockCounts,
    @Inject(SETTINGS) { lockLeaseMs, lockWaitMs }: Settings,
  ) {
    // Each statement commits by itself: a lock row inside the transaction would be invisible to the others.
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
          // Many who insert the same key can deadlock inside InnoDB; the one it chose has done nothing.
          if (mysqlErrno(error) !== DEADLOCK) throw error;
        }
      }
    });
  }
}
