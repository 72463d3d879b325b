import { Database } from '../../database/database.js';
import { readStock, requireEnough, Stock } from '../../stock/stock.js';
import { type DeductStrategy, Strategy, type Deduction, type DeductOrder } from '../strategy.js';
import { GoodsLocks } from '../support/goods-locks.js';
import { withLock } from '../support/with-lock.js';

/**
 * Buyers look at the stock under the read lock, all at the same time, and only those who find enough queue for the
 * write lock, where they look again. When it is sold out, thousands hear so without waiting for each other.
 */
@Strategy({
  name: 'read-write',
  family: 'redis-lock',
  lesson: 5,
  title: 'Read/write lock',
  stock: 'mysql',
  needs: ['mysql', 'redis'],
  safe: 'while-the-lease-holds',
  breaksUnder: ['pause', 'pause-both', 'failover', 'empty-restart', 'clock-jump', 'eviction', 'lost-reply'],
  teaches: 'Readers need not keep each other out; a waiting writer must stop new ones, or it waits for ever.',
  useWhen: 'Many look and few write: above all when the goods are gone and most only need to hear so.',
  costs:
    'Two locks for a buyer who buys, one to look and one to write; none but the first for who comes too late.',
})
export class ReadWrite implements DeductStrategy {
  constructor(
    private readonly locks: GoodsLocks,
    private readonly database: Database,
    private readonly stock: Stock,
  ) {}

  async deduct(order: DeductOrder): Promise<Deduction> {
    const { read, write } = this.locks.readWrite;
    await withLock(read, order, async () => {
      const row = await this.database.connection((sql) => readStock(sql, order.goodsId), order);
      requireEnough(order, row);
    });
    return withLock(write, order, (lease) => this.stock.sellUnprotected(order, lease));
  }
}
