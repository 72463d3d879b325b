import { Stock } from '../../stock/stock.js';
import { type DeductStrategy, Strategy, type Deduction, type DeductOrder } from '../strategy.js';
import { GoodsLocks } from '../support/goods-locks.js';
import { withLock } from '../support/with-lock.js';

/**
 * The same queue in etcd: a key per instance, under a lease that is kept alive, and a watch on the key before one's own.
 * The revision that made the key is a number that rises with every grant: a store could compare it, this one
 * does not.
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
    'A lock that is never forgotten still ends with its lease: only the store can refuse a late write.',
  useWhen:
    'An etcd is there already, as beside Kubernetes, and the store can compare the revision as a token.',
  costs: 'Two writes to the disks of a majority per sale, and three servers to look after.',
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
