import { Database } from '../database/database.js';
import { Ledger } from '../goods/ledger.js';
import { CoordinationGuard } from '../strategies/coordination-guard.js';
import { type Deduction, type DeductOrder, type DeductStrategy, Strategy } from '../strategies/strategy.js';
import { sellGuarded } from './guarded-sale.js';

/** `zookeeper`, and the store knows the zxid of the grant: what the bare lock lacks under a pause. */
@Strategy({
  name: 'zookeeper-guarded',
  family: 'specimen',
  lesson: 14,
  title: 'ZooKeeper, and the store compares the zxid',
  stock: 'mysql',
  needs: ['mysql', 'zookeeper'],
  safe: 'always',
  breaksUnder: ['lost-reply'],
  teaches:
    'The zxid of a node is a token that every grant raises; the store that has been told it can refuse.',
})
export class ZookeeperGuarded implements DeductStrategy {
  constructor(
    private readonly guard: CoordinationGuard,
    private readonly database: Database,
    private readonly ledger: Ledger,
  ) {}

  deduct(order: DeductOrder): Promise<Deduction> {
    return this.guard.hold('zookeeper', order, (lease) =>
      sellGuarded(this.database, this.ledger, order, lease),
    );
  }
}
