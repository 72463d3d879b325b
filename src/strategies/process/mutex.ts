import { Inject } from '@nestjs/common';
import { SETTINGS, type Settings } from '../../config/settings.js';
import { LocalLock } from '../../locks/index.js';
import { LockCounts } from '../../metrics/lock-counts.js';
import { Stock } from '../../stock/stock.js';
import { type DeductStrategy, Strategy, type Deduction, type DeductOrder } from '../strategy.js';
import { type GoodsLock, withLock } from '../support/with-lock.js';

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
  private readonly lock: GoodsLock;

  constructor(
    private readonly stock: Stock,
    counts: LockCounts,
    @Inject(SETTINGS) { lockWaitMs }: Settings,
  ) {
    this.lock = { lock: counts.of('mutex', new LocalLock()), waitMs: lockWaitMs };
  }

  deduct(order: DeductOrder): Promise<Deduction> {
    return withLock(this.lock, order, (lease) => this.stock.sellUnprotected(order, lease));
  }
}
