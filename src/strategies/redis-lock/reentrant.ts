import { Database } from '../../database/database.js';
import { type Sql } from '../../database/sql.js';
import { Stock } from '../../goods/stock.js';
import { RedisLocks } from '../redis-locks.js';
import {
  type BasketOrder,
  type Deduction,
  type DeductOrder,
  type DeductStrategy,
  lineOf,
  Strategy,
} from '../strategy.js';

/**
 * A Redisson-style lock: a hash of owner and count, waiting by pub/sub, a watchdog. A basket locks all its goods, one
 * inside the other; selling a line then takes the lock of its goods again, as code that calls other code does,
 * and enters at once because its caller is the holder.
 */
@Strategy({
  name: 'reentrant',
  family: 'redis-lock',
  lesson: 3,
  title: 'Reentrant lock, as Redisson’s',
  stock: 'mysql',
  needs: ['mysql', 'redis'],
  safe: 'while-the-lease-holds',
  breaksUnder: ['pause', 'pause-both', 'failover', 'empty-restart', 'clock-jump', 'eviction', 'lost-reply'],
  teaches: 'An owner that can enter again lets functions that lock call each other.',
  useWhen: 'Functions that lock call each other, or a basket locks several goods.',
  costs: 'As setnx-watchdog, with a hash in the place of a string.',
})
export class Reentrant implements DeductStrategy {
  constructor(
    private readonly locks: RedisLocks,
    private readonly database: Database,
    private readonly stock: Stock,
  ) {}

  deduct(order: DeductOrder): Promise<Deduction> {
    return this.locks.guard(this.locks.reentrant, order, (lease) => this.stock.sellUnprotected(order, lease));
  }

  deductAll(basket: BasketOrder): Promise<Deduction[]> {
    const lines = basket.items.map((item) => lineOf(basket, item));
    const sellAll = () =>
      this.database.transaction(async (sql) => {
        const sales: Deduction[] = [];
        for (const line of lines) sales.push(await this.sellLine(sql, line));
        return sales;
      }, basket);
    // From the last to the first, so that the first goods' lock is the outermost and is taken first.
    return lines.reduceRight(
      (inner, line) => () => this.locks.guard(this.locks.reentrant, line, inner),
      sellAll,
    )();
  }

  private sellLine(sql: Sql, line: DeductOrder): Promise<Deduction> {
    return this.locks.guard(this.locks.reentrant, line, (lease) =>
      this.stock.sellUnprotectedOn(sql, line, lease),
    );
  }
}
