import { Database } from '../database/database.js';
import { Ledger } from '../stock/ledger.js';
import { type DeductStrategy, Strategy, type Deduction, type DeductOrder } from '../strategies/strategy.js';
import { GoodsLocks } from '../strategies/support/goods-locks.js';
import { withLock } from '../strategies/support/with-lock.js';
import { sellGuarded } from './guarded-sale.js';

/** `etcd`, and the store compares the revision of the grant: this is what the bare lock lacks under a pause. */
@Strategy({
  name: 'etcd-guarded',
  family: 'specimen',
  lesson: 13,
  title: 'etcd, and the store compares the revision',
  stock: 'mysql',
  needs: ['mysql', 'etcd'],
  safe: 'always',
  breaksUnder: ['lost-reply'],
  teaches: 'The revision increases with every grant; a store that compares it can refuse a late write.',
})
export class EtcdGuarded implements DeductStrategy {
  constructor(
    private readonly locks: GoodsLocks,
    private readonly database: Database,
    private readonly ledger: Ledger,
  ) {}

  deduct(order: DeductOrder): Promise<Deduction> {
    return withLock(this.locks.etcd, order, (lease) => sellGuarded(this.database, this.ledger, order, lease));
  }
}
