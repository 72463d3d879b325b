import { Database } from '../database/database.js';
import { Ledger } from '../stock/ledger.js';
import { type DeductStrategy, Strategy, type Deduction, type DeductOrder } from '../strategies/strategy.js';
import { GoodsLocks } from '../strategies/support/goods-locks.js';
import { withLock } from '../strategies/support/with-lock.js';
import { sellGuarded } from './guarded-sale.js';

/** `zookeeper`, and the store compares the zxid of the grant: this is what the bare lock lacks under a pause. */
@Strategy({
  name: 'zookeeper-guarded',
  family: 'specimen',
  lesson: 14,
  title: 'ZooKeeper, and the store compares the zxid',
  stock: 'mysql',
  needs: ['mysql', 'zookeeper'],
  safe: 'always',
  breaksUnder: ['lost-reply'],
  teaches: 'The zxid of a node increases with every grant; a store that compares it can refuse a late write.',
})
export class ZookeeperGuarded implements DeductStrategy {
  constructor(
    private readonly locks: GoodsLocks,
    private readonly database: Database,
    private readonly ledger: Ledger,
  ) {}

  deduct(order: DeductOrder): Promise<Deduction> {
    return withLock(this.locks.zookeeper, order, (lease) =>
      sellGuarded(this.database, this.ledger, order, lease),
    );
  }
}
