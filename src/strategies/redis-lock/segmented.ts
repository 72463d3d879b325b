import { Inject } from '@nestjs/common';
import { checkpoint } from '../../checkpoints/checkpoint.js';
import { SETTINGS, type Settings } from '../../config/settings.js';
import { Database } from '../../database/database.js';
import { type Sql } from '../../database/sql.js';
import { Conflict, SoldOut, StockElsewhere } from '../../errors.js';
import { Ledger, type SaleCost } from '../../stock/ledger.js';
import { retryConflicts } from '../../stock/retry-conflicts.js';
import { readSplitStock, Segments, type SplitStock } from '../../stock/segments.js';
import { type DeductStrategy, Strategy, type Deduction, type DeductOrder } from '../strategy.js';
import { GoodsLocks } from '../support/goods-locks.js';
import { withFirstFreeLock, withLock } from '../support/with-lock.js';

/**
 * The stock is in five rows with five locks, so five requests are served at once. A request tries the segments with
 * enough stock and uses the first whose lock is free. The answer “sold out” is based on all segments together.
 */
@Strategy({
  name: 'segmented',
  family: 'redis-lock',
  lesson: 6,
  title: 'Segmented stock',
  stock: 'mysql',
  needs: ['mysql', 'redis'],
  safe: 'always',
  breaksUnder: ['lost-reply'],
  teaches: 'More rows and more locks serve more buyers at once; “sold out” must then check all rows.',
  useWhen: 'One goods is so hot that its single row is the limit, and the stock must stay in MySQL.',
  costs:
    'One row per segment; “sold out” has to read all of them, and the last units may be spread over several.',
})
export class Segmented implements DeductStrategy {
  private turn: number;

  constructor(
    private readonly locks: GoodsLocks,
    private readonly database: Database,
    private readonly segments: Segments,
    private readonly ledger: Ledger,
    @Inject(SETTINGS) { instance }: Settings,
  ) {
    // Instances begin at different segments: the last letters of their names differ.
    this.turn = instance.charCodeAt(instance.length - 1);
  }

  deduct(order: DeductOrder): Promise<Deduction> {
    const started = performance.now();
    return retryConflicts(order, async (attempts) => {
      const stock = await this.look(order);
      if (stock.inventory < order.quantity) throw new SoldOut(order.goodsId, stock.runId, order.quantity);
      const candidates = this.inTurn(withEnough(stock, order));
      // No single segment has enough: the order is larger than a segment, or it is the first order of the run.
      if (candidates.length === 0) return this.sellAcross(order, attempts);
      return withFirstFreeLock(this.locks.plain, order, candidates, (segment) => {
        const cost = { attempts, waitedMs: performance.now() - started };
        return this.database.transaction(
          (sql) => this.sell(sql, order, { runId: stock.runId, segment }, cost),
          order,
        );
      });
    });
  }

  /** The lock only spreads the load. The WHERE alone prevents overselling. */
  private async sell(
    sql: Sql,
    order: DeductOrder,
    from: { readonly runId: number; readonly segment: number },
    cost: SaleCost,
  ): Promise<Deduction> {
    await checkpoint('beforeWrite');
    const { affectedRows } = await sql.change(
      `UPDATE stock_segments SET inventory = inventory - ?
       WHERE run_id = ? AND segment = ? AND inventory >= ?`,
      [order.quantity, from.runId, from.segment, order.quantity],
    );
    // Another order was first, or the run has ended: read again.
    if (affectedRows === 0) throw new Conflict();
    await checkpoint('afterWrite');
    const { segments, inventory: remaining } = await readSplitStock(sql, order.goodsId);
    const before = (segments[from.segment] ?? 0) + order.quantity;
    return this.ledger.segmentSale(sql, order, { ...from, ...cost, before, remaining });
  }

  /** Holds the lock of the whole goods, so that concurrent orders do not split the same stock again and again. */
  private sellAcross(order: DeductOrder, attempts: number): Promise<Deduction> {
    return withLock(this.locks.plain, order, async ({ waitedMs }) => {
      const stock = await this.look(order);
      if (withEnough(stock, order).length > 0) throw new Conflict();
      return this.database.transaction(async (sql) => {
        const dealt = await this.segments.dealFor(sql, order, stock);
        return this.sell(sql, order, dealt, { attempts, waitedMs });
      }, order);
    });
  }

  private async look(order: DeductOrder): Promise<SplitStock> {
    const stock = await this.database.connection((sql) => readSplitStock(sql, order.goodsId), order);
    if (stock.stockIn === 'redis') throw new StockElsewhere(order.goodsId);
    return stock;
  }

  /** Each request begins one segment further than the request before. */
  private inTurn(segments: readonly number[]): readonly number[] {
    this.turn += 1;
    const start = this.turn % Math.max(1, segments.length);
    return [...segments.slice(start), ...segments.slice(0, start)];
  }
}

function withEnough({ segments }: SplitStock, { quantity }: DeductOrder): number[] {
  return segments.flatMap((inventory, segment) => (inventory >= quantity ? segment : []));
}
