import { Stock } from '../../stock/stock.js';
import { type DeductStrategy, Strategy, type Deduction, type DeductOrder } from '../strategy.js';
import { GoodsLocks } from '../support/goods-locks.js';
import { withLock } from '../support/with-lock.js';

/** First come, first served, across all instances: a queue in Redis in which each waiter sends a heartbeat. */
@Strategy({
  name: 'fair',
  family: 'redis-lock',
  lesson: 4,
  title: 'Fair lock',
  stock: 'mysql',
  needs: ['mysql', 'redis'],
  safe: 'while-the-lease-holds',
  breaksUnder: ['pause', 'pause-both', 'failover', 'empty-restart', 'clock-jump', 'eviction', 'lost-reply'],
  teaches:
    'A queue serves waiters in order and starves none of them; a faster waiter has to wait for its turn.',
  useWhen: 'No waiter may be overtaken or starve, across all instances.',
  costs:
    'A queue in Redis with a heartbeat per waiter; every hand-off goes through Redis, so a hot key is slower.',
})
export class Fair implements DeductStrategy {
  constructor(
    private readonly locks: GoodsLocks,
    private readonly stock: Stock,
  ) {}

  deduct(order: DeductOrder): Promise<Deduction> {
    return withLock(this.locks.fair, order, (lease) => this.stock.sellUnprotected(order, lease));
  }
}
