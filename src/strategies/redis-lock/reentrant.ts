import { Database } from '../../database/database.js';
import { type Sql } from '../../database/sql.js';
import { type Lease } from '../../locks/index.js';
import { retryConflicts } from '../../stock/retry-conflicts.js';
import { Stock } from '../../stock/stock.js';
import {
  type BasketStrategy,
  Strategy,
  type BasketOrder,
  type Deduction,
  type DeductOrder,
  lineOf,
} from '../strategy.js';
import { GoodsLocks } from '../support/goods-locks.js';
import { withLock } from '../support/with-lock.js';

/**
 * A Redisson-style lock: the owner may enter again, waiters are woken by pub/sub, a watchdog renews the lease. A basket
 * locks all its goods first. The sale of each line then acquires the lock of its goods again, and enters at once because
 * its caller holds it. The entries are counted in this process: Redis sees one owner.
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
  teaches: 'A reentrant lock lets functions that acquire the same lock call each other.',
  useWhen: 'Functions that acquire the same lock call each other, or a basket locks several goods.',
  costs: 'The same as setnx-watchdog. Entering again costs no round trip.',
})
export class Reentrant implements BasketStrategy {
  constructor(
    private readonly locks: GoodsLocks,
    private readonly database: Database,
    private readonly stock: Stock,
  ) {}

  deduct(order: DeductOrder): Promise<Deduction> {
    return withLock(this.locks.reentrant, order, (lease) => this.stock.sellUnprotected(order, lease));
  }

  deductAll(basket: BasketOrder): Promise<Deduction[]> {
    const lines = basket.items.map((item) => lineOf(basket, item));
    return this.holdingAll(lines, (leases) => {
      // Nothing is committed once the lock of any of the goods is lost.
      const lease = AbortSignal.any(leases.map((held) => held.signal));
      const sellAll = async (sql: Sql) => {
        const sales: Deduction[] = [];
        for (const line of lines) sales.push(await this.sellLine(sql, line));
        return sales;
      };
      return retryConflicts(basket, () => this.database.transaction(sellAll, { ...basket, lease }));
    });
  }

  /** Holds the locks of all lines around `work`, one inside the other, in the order of the lines. */
  private holdingAll<T>(
    [line, ...rest]: readonly DeductOrder[],
    work: (leases: readonly Lease[]) => Promise<T>,
    held: readonly Lease[] = [],
  ): Promise<T> {
    if (!line) return work(held);
    return withLock(this.locks.reentrant, line, (lease) => this.holdingAll(rest, work, [...held, lease]));
  }

  private sellLine(sql: Sql, line: DeductOrder): Promise<Deduction> {
    return withLock(this.locks.reentrant, line, (lease) => this.stock.sellUnprotectedOn(sql, line, lease));
  }
}
