import { Database } from '../database/database.js';
import { Stock } from '../goods/stock.js';
import { LocalLock } from '../locks/index.js';
import { holding } from '../strategies/holding.js';
import { type Deduction, type DeductOrder, type DeductStrategy, Strategy } from '../strategies/strategy.js';

/** `mutex`, but each request brings its own: nobody ever waits for anybody. */
@Strategy({
  name: 'lock-per-request',
  family: 'specimen',
  lesson: 1,
  title: 'A mutex per request',
  stock: 'mysql',
  needs: ['mysql'],
  safe: 'never',
  breaksUnder: ['concurrency'],
  teaches: 'A lock protects from those who lock the same object.',
})
export class LockPerRequest implements DeductStrategy {
  constructor(
    private readonly stock: Stock,
    private readonly database: Database,
  ) {}

  deduct(order: DeductOrder): Promise<Deduction> {
    const lock = new LocalLock();
    const options = { waitMs: this.database.lockWaitMs, signal: order.signal };
    return holding(lock, `goods:${order.goodsId}`, options, (lease) =>
      this.stock.sellUnprotected(order, lease),
    );
  }
}
