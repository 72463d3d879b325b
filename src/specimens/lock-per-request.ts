import { Database } from '../database/database.js';
import { LocalLock } from '../locks/index.js';
import { Stock } from '../stock/stock.js';
import { type DeductStrategy, Strategy, type Deduction, type DeductOrder } from '../strategies/strategy.js';
import { withLock } from '../strategies/support/with-lock.js';

/** `mutex`, but each request has its own lock object: no request ever waits. */
@Strategy({
  name: 'lock-per-request',
  family: 'specimen',
  lesson: 1,
  title: 'A mutex per request',
  stock: 'mysql',
  needs: ['mysql'],
  safe: 'never',
  breaksUnder: ['concurrency'],
  teaches: 'A lock only excludes code that locks the same object.',
})
export class LockPerRequest implements DeductStrategy {
  constructor(
    private readonly stock: Stock,
    private readonly database: Database,
  ) {}

  deduct(order: DeductOrder): Promise<Deduction> {
    const lock = { lock: new LocalLock(), waitMs: this.database.lockWaitMs };
    return withLock(lock, order, (lease) => this.stock.sellUnprotected(order, lease));
  }
}
