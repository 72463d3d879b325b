import { Stock } from '../../stock/stock.js';
import { type DeductStrategy, Strategy, type Deduction, type DeductOrder } from '../strategy.js';
import { GoodsLocks } from '../support/goods-locks.js';
import { withLock } from '../support/with-lock.js';

/**
 * Instances stand in a queue of ephemeral sequential nodes, each for the first of its buyers, and each watches the one
 * before it: they take turns, and a release wakes one of them, not all. A majority of servers keeps the queue, and drops
 * who is not heard of. Like every lease it cannot stop a holder who sleeps through it.
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
    'A majority remembers who holds the lock, but a holder that slept through its session still writes.',
  useWhen: 'A ZooKeeper is there already, and work must not be done twice even when a server is lost.',
  costs: 'Two writes to the disks of a majority per sale, three servers to look after, and a Java runtime.',
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
