import { Inject } from '@nestjs/common';
import { checkpoint } from '../../checkpoints/checkpoint.js';
import { SETTINGS, type Settings } from '../../config/settings.js';
import { Database } from '../../database/database.js';
import { mysqlErrno } from '../../database/mysql-errors.js';
import { type Sql } from '../../database/sql.js';
import { Busy, ClientGone, EngineUnavailable, StockElsewhere } from '../../errors.js';
import { LockTimeout } from '../../locks/errors.js';
import { firstCome } from '../../stock/first-come.js';
import { Ledger, type LedgerSale } from '../../stock/ledger.js';
import { retryConflicts } from '../../stock/retry-conflicts.js';
import { known, STOCK_COLUMNS, type StockRow, writeStock } from '../../stock/stock.js';
import { type DeductStrategy, Strategy, type Deduction, type DeductOrder } from '../strategy.js';
import { BatchQueue, type ItemOutcome } from '../support/batch-queue.js';

/** Bounds the length of the INSERT, and the time for which one batch holds the row. */
const LARGEST_BATCH = 200;

interface Arrival {
  readonly order: DeductOrder;
  readonly at: number;
}

type Close = () => readonly Arrival[];

interface LockedRow extends StockRow {
  readonly idStep: number;
}

/**
 * Orders for one goods that arrive while a commit is under way join the next one. One transaction locks the row, writes the
 * stock once, appends all orders in one INSERT, and commits. No order is answered before that COMMIT, and each gets its own
 * answer: sold with its own remaining stock, or refused.
 */
@Strategy({
  name: 'batch',
  family: 'process',
  lesson: 2,
  title: 'Many sales in one commit',
  stock: 'mysql',
  needs: ['mysql'],
  safe: 'always',
  breaksUnder: ['lost-reply'],
  teaches: 'One row lock and one COMMIT serve many orders, so each order pays only a part of their cost.',
  useWhen: 'One goods is hot, and the order must be in the database before the buyer is answered.',
  costs:
    'Orders of a batch wait for each other, and one failed COMMIT fails all of them; each process needs a bounded queue.',
})
export class Batch implements DeductStrategy {
  private readonly queues = new Map<number, BatchQueue<Arrival, Deduction>>();

  constructor(
    private readonly database: Database,
    private readonly ledger: Ledger,
    @Inject(SETTINGS) private readonly settings: Settings,
  ) {}

  async deduct(order: DeductOrder): Promise<Deduction> {
    const { goodsId, signal } = order;
    const queue = this.queues.get(goodsId) ?? this.newQueue(goodsId);
    try {
      return await queue.do({ order, at: performance.now() }, { waitMs: this.settings.lockWaitMs, signal });
    } catch (error) {
      throw error === signal.reason ? new ClientGone() : error;
    } finally {
      if (queue.idle && this.queues.get(goodsId) === queue) this.queues.delete(goodsId);
    }
  }

  private newQueue(goodsId: number): BatchQueue<Arrival, Deduction> {
    const queue = new BatchQueue<Arrival, Deduction>((close) => this.sell(goodsId, close), {
      batch: LARGEST_BATCH,
      waiting: this.settings.maxInFlight,
    });
    this.queues.set(goodsId, queue);
    return queue;
  }

  /** When the server refuses a statement because of one of the orders, each of them is sold alone. */
  private async sell(goodsId: number, close: Close): Promise<ItemOutcome<Deduction>[]> {
    let batch: readonly Arrival[] = [];
    try {
      return await this.sellTogether(goodsId, () => (batch = close()));
    } catch (error) {
      if (batch.length < 2 || mysqlErrno(error) === undefined) throw error;
    }
    const outcomes: ItemOutcome<Deduction>[] = [];
    let unavailable: PromiseRejectedResult | undefined;
    for (const arrival of batch) {
      // What one order has waited for in vain, the others do not wait for again.
      const [outcome] = unavailable
        ? [unavailable]
        : await Promise.allSettled([this.sellTogether(goodsId, () => [arrival])]);
      if (outcome.status === 'rejected' && isUnavailable(outcome.reason)) unavailable = outcome;
      outcomes.push(outcome.status === 'fulfilled' ? (outcome.value[0] as ItemOutcome<Deduction>) : outcome);
    }
    return outcomes;
  }

  /** Other transactions may lock in another order: the server then rolls one of the two back (1213). This one is retried. */
  private sellTogether(goodsId: number, close: Close): Promise<ItemOutcome<Deduction>[]> {
    return retryConflicts({}, (attempts) =>
      this.database.transaction((sql) => this.sellOn(sql, { goodsId, attempts, close }), { goodsId }),
    );
  }

  private async sellOn(
    sql: Sql,
    { goodsId, attempts, close }: { goodsId: number; attempts: number; close: Close },
  ): Promise<ItemOutcome<Deduction>[]> {
    const row = known(
      goodsId,
      await sql.one<LockedRow>(
        `SELECT ${STOCK_COLUMNS}, @@auto_increment_increment AS idStep FROM goods WHERE id = ? FOR UPDATE`,
        [goodsId],
      ),
    );
    if (row.stockIn !== 'mysql') throw new StockElsewhere(goodsId);
    const lockedAt = performance.now();
    // Only now: an order that arrived while this transaction waited for the row is also in the batch.
    const batch = close();
    await checkpoint('afterRead');
    const orders = batch.map(({ order }) => order);
    const decisions = firstCome(row, orders, await this.usedKeys(sql, row.runId, orders));
    const sales = batch.flatMap(({ order, at }, index) => {
      const before = decisions[index];
      if (typeof before !== 'number') return [];
      return [{ order, facts: { runId: row.runId, before, attempts, waitedMs: lockedAt - at } }];
    });
    const sold = (await this.write(sql, row, sales)).values();
    return decisions.map((decision) =>
      typeof decision === 'number'
        ? { status: 'fulfilled', value: sold.next().value as Deduction }
        : { status: 'rejected', reason: decision },
    );
  }

  /** Writes the stock once, and all orders in one INSERT. */
  private async write(sql: Sql, row: LockedRow, sales: readonly LedgerSale[]): Promise<Deduction[]> {
    const [first] = sales;
    if (!first) return [];
    const quantity = sales.reduce((sum, { order }) => sum + order.quantity, 0);
    await writeStock(sql, { ...first.order, quantity }, row);
    await checkpoint('afterWrite');
    return this.ledger.sales(sql, sales, row.idStep);
  }

  /** The row is locked, so no other order can use a key until COMMIT. */
  private async usedKeys(sql: Sql, runId: number, orders: readonly DeductOrder[]): Promise<Set<string>> {
    const keys = orders.flatMap(({ idempotencyKey }) => idempotencyKey ?? []);
    const [first] = orders;
    if (!first || keys.length === 0) return new Set();
    const rows = await sql.rows<{ idempotencyKey: string }>(
      `SELECT idempotency_key AS idempotencyKey FROM orders
       WHERE goods_id = ? AND run_id = ? AND idempotency_key IN (?)`,
      [first.goodsId, runId, keys],
    );
    return new Set(rows.map(({ idempotencyKey }) => idempotencyKey));
  }
}

/** The database or the row cannot be had now, and nothing was sold. */
function isUnavailable(error: unknown): boolean {
  return error instanceof LockTimeout || error instanceof Busy || error instanceof EngineUnavailable;
}
