import { Inject } from '@nestjs/common';
import { SETTINGS, type Settings } from '../../config/settings.js';
import { Database } from '../../database/database.js';
import { DEADLOCK, DUPLICATE_ENTRY, mysqlErrno } from '../../database/mysql-errors.js';
import { Stock } from '../../goods/stock.js';
import { type Lock, MysqlRowLock } from '../../locks/index.js';
import { LockCounts } from '../../metrics/lock-counts.js';
import { holding } from '../holding.js';
import { type Deduction, type DeductOrder, type DeductStrategy, Strategy } from '../strategy.js';

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
  private readonly lock: Lock;

  constructor(
    private readonly database: Database,
    private readonly stock: Stock,
    counts: LockCounts,
    @Inject(SETTINGS) { lockLeaseMs }: Settings,
  ) {
    // Each statement commits by itself: a lock row inside the transaction would be invisible to the others.
    const lock = new MysqlRowLock((text, parameters) => this.changeRows(text, parameters), {
      leaseMs: lockLeaseMs,
    });
    this.lock = counts.of('unique-row', lock);
  }

  deduct(order: DeductOrder): Promise<Deduction> {
    const options = { waitMs: this.database.lockWaitMs, signal: order.signal };
    return holding(this.lock, `goods:${order.goodsId}`, options, (lease) =>
      this.stock.sellUnprotected(order, lease),
    );
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
