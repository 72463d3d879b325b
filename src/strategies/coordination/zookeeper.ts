import { Stock } from '../../stock/stock.js';
import { type DeductStrategy, Strategy, type Deduction, type DeductOrder } from '../strategy.js';
import { GoodsLocks } from '../support/goods-locks.js';
import { withLock } from '../support/with-lock.js';

/**
 * Each instance has one ephemeral sequential node in a queue and watches the node before it, so a release wakes one
 * instance and not all. A majority of servers stores the queue, and deletes the node of a session that expired. Like
 * every lock with a lease, this one cannot stop a holder that is paused for longer than its session.
 */
@Strategy({
  name: 'zookeeper',
  family: 'coordination',
  lesson: 1,
  title: 'ZooKeeper: a queue of ephemeral nodes',
  stock: 'mysql',
  needs: ['mysql', 'zookeeper'],
  safe: 'while-the-lease-holds',
  breaksUnder: ['pause', 'pause-both', 'lost-reply'],
  teaches:
    'A majority of servers records who holds the lock, but a holder that was paused for longer than its session still writes.',
  useWhen: 'You already run ZooKeeper, and work must not be done twice even when a server is lost.',
  costs: 'Two writes to the disks of a majority per sale, three servers to operate, and a Java runtime.',
})
export class Zookeeper implements DeductStrategy {
  constructor(
    private readonly locks: GoodsLocks,
    private readonly stock: Stock,
  ) {}

  deduct(order: DeductOrder): Promise<Deduction> {
    return withLock(this.locks.zookeeper, order, (lease) => this.stock.sellUnprotected(order, lease));
  }
}
