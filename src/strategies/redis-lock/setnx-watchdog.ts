import { Stock } from '../../stock/stock.js';
import { type DeductStrategy, Strategy, type Deduction, type DeductOrder } from '../strategy.js';
import { GoodsLocks } from '../support/goods-locks.js';
import { withLock } from '../support/with-lock.js';

/**
 * The lock of `setnx-lua`, renewed every third of its lease while the process runs: slow work keeps it, a crashed process
 * loses it. A process that is paused for longer than the lease loses the lock without noticing.
 */
@Strategy({
  name: 'setnx-watchdog',
  family: 'redis-lock',
  lesson: 2,
  title: 'SET NX with a watchdog',
  stock: 'mysql',
  needs: ['mysql', 'redis'],
  safe: 'while-the-lease-holds',
  breaksUnder: ['pause', 'pause-both', 'failover', 'empty-restart', 'clock-jump', 'eviction', 'lost-reply'],
  teaches: 'Renewal removes the need to guess the lease, but a paused process cannot renew.',
  useWhen: 'As setnx-lua, when the duration of the work is unknown.',
  costs: 'Two scripts per sale and a renewal every third of the lease; a message wakes the waiters.',
})
export class SetnxWatchdog implements DeductStrategy {
  constructor(
    private readonly locks: GoodsLocks,
    private readonly stock: Stock,
  ) {}

  deduct(order: DeductOrder): Promise<Deduction> {
    // This strategy does not check whether it still holds the lock; `reentrant` does.
    return withLock(this.locks.plain, order, ({ attempts, waitedMs }) =>
      this.stock.sellUnprotected(order, { attempts, waitedMs }),
    );
  }
}
