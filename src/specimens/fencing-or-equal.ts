import { Database } from '../database/database.js';
import { Ledger } from '../stock/ledger.js';
import { type DeductStrategy, Strategy, type Deduction, type DeductOrder } from '../strategies/strategy.js';
import { GoodsLocks } from '../strategies/support/goods-locks.js';
import { withLock } from '../strategies/support/with-lock.js';
import { sellFenced } from './fenced-sale.js';

/** `fencing-token`, but the store also accepts the last token again: a retry has the same token, and so may a second holder. */
@Strategy({
  name: 'fencing-or-equal',
  family: 'specimen',
  lesson: 7,
  title: 'Fencing token that may repeat',
  stock: 'mysql',
  needs: ['mysql', 'redis'],
  safe: 'never',
  breaksUnder: ['pause-both', 'failover'],
  teaches:
    'After a failover two holders can carry one token; only a store that accepts each token once can tell them apart.',
})
export class FencingOrEqual implements DeductStrategy {
  constructor(
    private readonly locks: GoodsLocks,
    private readonly database: Database,
    private readonly ledger: Ledger,
  ) {}

  deduct(order: DeductOrder): Promise<Deduction> {
    return withLock(this.locks.fenced, order, (lease) =>
      sellFenced(this.database, this.ledger, order, Number(lease.token), 'fence <= ?', lease),
    );
  }
}
