import { Stock } from '../../stock/stock.js';
import { type DeductStrategy, Strategy, type Deduction, type DeductOrder } from '../strategy.js';
import { GoodsLocks } from '../support/goods-locks.js';
import { withLock } from '../support/with-lock.js';

/**
 * The queue of `zookeeper` in etcd: one key per instance under a lease that is renewed, and a watch on the preceding key. The
 * revision that created the key increases with every grant. A store could compare it as a fencing token; here it does not.
 */
@Strategy({
  name: 'etcd',
  family: 'coordination',
  lesson: 2,
  title: 'etcd: a queue of keys under a lease',
  stock: 'mysql',
  needs: ['mysql', 'etcd'],
  safe: 'while-the-lease-holds',
  breaksUnder: ['pause', 'pause-both', 'lost-reply'],
  teaches:
    'The lock survives the loss of an etcd server, but it still ends with its lease: only the store can refuse a late write.',
  useWhen:
    'You already run etcd, for example with Kubernetes, and the store can compare the revision as a fencing token.',
  costs: 'Two writes to the disks of a majority per sale, and three servers to operate.',
})
export class Etcd implements DeductStrategy {
  constructor(
    private readonly locks: GoodsLocks,
    private readonly stock: Stock,
  ) {}

  deduct(order: DeductOrder): Promise<Deduction> {
    return withLock(this.locks.etcd, order, (lease) => this.stock.sellUnprotected(order, lease));
  }
}
