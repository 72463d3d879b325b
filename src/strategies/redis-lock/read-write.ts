import { Database } from '../../database/database.js';
import { readStock, requireEnough, Stock } from '../../stock/stock.js';
import { type DeductStrategy, Strategy, type Deduction, type DeductOrder } from '../strategy.js';
import { GoodsLocks } from '../support/goods-locks.js';
import { withLock } from '../support/with-lock.js';

/**
 * Requests read the stock under the shared read lock. Only requests that find enough stock wait for the write lock, and
 * check again under it. When the goods are sold out, thousands of requests are answered without waiting for each other.
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
  teaches:
    'Readers do not exclude each other; a waiting writer must block new readers, or it waits for ever.',
  useWhen:
    'Many requests read and few write, above all when the goods are sold out and most requests only need that answer.',
  costs: 'Two locks for a sale, one to read and one to write; one lock for an answer “sold out”.',
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
