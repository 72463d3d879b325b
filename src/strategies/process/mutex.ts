import { Database } from '../../database/database.js';
import { Stock } from '../../goods/stock.js';
import { LocalLock, type Lock } from '../../locks/index.js';
import { LockCounts } from '../../metrics/lock-counts.js';
import { holding } from '../holding.js';
import { type Deduction, type DeductOrder, type DeductStrategy, Strategy } from '../strategy.js';

/** A mutex per goods in this process, held until after COMMIT. Correct with one instance, useless with two. */
@Strategy({
  name: 'mutex',
  family: 'process',
  lesson: 1,
  title: 'In-process mutex',
  stock: 'mysql',
  needs: ['mysql'],
  safe: 'one-process',
  breaksUnder: ['several-instances', 'pause', 'pause-both', 'lost-reply'],
  teaches: 'A lock in the memory of one process does not lock out another instance.',
  useWhen:
    'There is only one process and never a second one; or in front of a shared lock, so that each process competes for it only once.',
  costs: 'Nothing outside the process: waiters queue in memory.',
})
export class Mutex implements DeductStrategy {
  private readonly lock: Lock;

  constructor(
    private readonly stock: Stock,
    private readonly database: Database,
    counts: LockCounts,
  ) {
    this.lock = counts.of('mutex', new LocalLock());
  }

  deduct(order: DeductOrder): Promise<Deduction> {
    const options = { waitMs: this.database.lockWaitMs, signal: order.signal };
    return holding(this.lock, `goods:${order.goodsId}`, options, (lease) =>
      this.stock.sellUnprotected(order, lease),
    );
  }
}
