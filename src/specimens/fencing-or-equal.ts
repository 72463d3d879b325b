import { Database } from '../database/database.js';
import { Ledger } from '../goods/ledger.js';
import { RedisLocks } from '../strategies/redis-locks.js';
import { type Deduction, type DeductOrder, type DeductStrategy, Strategy } from '../strategies/strategy.js';
import { sellFenced } from './fenced-sale.js';

/** `fencing-token`, but the store also takes the token that it has seen last: a resend looks like that, and a twin too. */
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
    'After a failover two holders can carry one token; only a store that takes each token once can tell.',
})
export class FencingOrEqual implements DeductStrategy {
  constructor(
    private readonly locks: RedisLocks,
    private readonly database: Database,
    private readonly ledger: Ledger,
  ) {}

  deduct(order: DeductOrder): Promise<Deduction> {
    return this.locks.guard(this.locks.fenced, order, (lease) =>
      sellFenced(this.database, this.ledger, order, Number(lease.token), 'fence <= ?', lease),
    );
  }
}
