import { Inject } from '@nestjs/common';
import { SETTINGS, type Settings } from '../../config/settings.js';
import { LocalLock } from '../../locks/index.js';
import { LockCounts } from '../../metrics/lock-counts.js';
import { Stock } from '../../stock/stock.js';
import { type DeductStrategy, Strategy, type Deduction, type DeductOrder } from '../strategy.js';
import { type GoodsLock, withLock } from '../support/with-lock.js';

/** A mutex per goods in this process, held until after COMMIT. Right with one instance, useless with two. */
@Strategy({
  name: 'mutex',
  family: 'process',
  lesson: 1,
  title: 'In-process mutex',
  stock: 'mysql',
  needs: ['mysql'],
  safe: 'one-process',
  breaksUnder: ['several-instances', 'pause', 'pause-both', 'lost-reply'],
  teaches: 'A lock that the other instance cannot see does not lock it out.',
  useWhen:
    'One process and no second one to come; or in front of a shared lock, so that a process competes for it only once.',
  costs: 'Nothing outside the process: waiters stand in memory.',
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
