import { setTimeout as sleep } from 'node:timers/promises';
import { Inject, Injectable } from '@nestjs/common';
import { SETTINGS, type Settings } from '../config/settings.js';
import { type Receipt, type SignedReceipt } from '../contract/receipt.js';
import { DUPLICATE_ENTRY, mysqlErrno } from '../database/mysql-errors.js';
import { Shares } from '../database/shares.js';
import { AlreadySold, Busy, SoldOut, StockElsewhere } from '../errors.js';
import { Metrics } from '../metrics/metrics.js';
import { GoodsChanges } from '../redis-stock/goods-changes.js';
import { StockMoves } from '../redis-stock/stock-moves.js';
import { type BasketOrder, type Deduction, type DeductOrder } from '../stock/order.js';
import { Receipts, requestHash } from '../stock/receipts.js';
import { Refusals } from '../stock/refusals.js';
import { StrategyRegistry } from '../strategies/registry.js';
import { answersEarly } from '../strategies/strategy.js';
import { CancelTokens } from './cancel-tokens.js';

export interface Answer<T> {
  readonly replayed: boolean;
  readonly receipt: T;
}

/** A request, and the two ways in which its strategy can answer it. */
interface Purchase {
  readonly basket: BasketOrder;
  readonly sell: () => Promise<Deduction[]>;
  /** The row in MySQL is written after the answer, by the consumer of the orders; it announces the change. */
  readonly writtenLater: boolean;
  readonly receiptInFlight: () => Promise<Receipt | undefined>;
}

/** How long an order retries while other orders move the stock between stores; after that its client gets 503. */
const FOLLOW_MS = 3000;
const LONGEST_PAUSE_MS = 20;
/** Between two checks whether an order in flight with the same key has been written. */
const TWIN_PAUSE_MS = 25;

/** One deduction from the request to its receipt: the strategy sells; this handles keys, moves, refusals and metrics. */
@Injectable()
export class Deductions {
  private readonly inFlight: Shares<number>;

  constructor(
    private readonly strategies: StrategyRegistry,
    private readonly receipts: Receipts,
    private readonly refusals: Refusals,
    private readonly metrics: Metrics,
    private readonly changes: GoodsChanges,
    private readonly moves: StockMoves,
    private readonly tokens: CancelTokens,
    @Inject(SETTINGS) private readonly settings: Settings,
  ) {
    this.inFlight = new Shares(settings.maxInFlight, settings.goodsShare);
  }

  async deduct(request: DeductOrder): Promise<Answer<SignedReceipt>> {
    const strategy = this.strategies.get(request.strategy);
    const order = withHash(request, [request]);
    const { replayed, receipt } = await this.answer({
      basket: { ...order, items: [order] },
      sell: async () => [await strategy.deduct(order)],
      writtenLater: answersEarly(strategy),
      receiptInFlight: async () => (answersEarly(strategy) ? strategy.receiptInFlight(order) : undefined),
    });
    return { replayed, receipt: receipt[0] as SignedReceipt };
  }

  deductAll(request: BasketOrder): Promise<Answer<SignedReceipt[]>> {
    const strategy = this.strategies.getForBaskets(request.strategy);
    const basket = withHash(request, request.items);
    return this.answer({
      basket,
      sell: () => strategy.deductAll(basket),
      writtenLater: false,
      receiptInFlight: () => Promise.resolve(undefined),
    });
  }

  private async answer(purchase: Purchase): Promise<Answer<SignedReceipt[]>> {
    const ended = this.begin(purchase.basket);
    try {
      const answer = await this.metrics.observe(purchase.basket.strategy, () => this.sellOnce(purchase));
      return { ...answer, receipt: answer.receipt.map((receipt) => this.signed(receipt)) };
    } finally {
      ended();
    }
  }

  private signed(receipt: Receipt): SignedReceipt {
    return { ...receipt, cancelToken: this.tokens.tokenOf(receipt.orderId) };
  }

  /** Limits one goods to its share of the requests in flight on an instance: the rest is kept for other goods. */
  private begin({ items }: BasketOrder): () => void {
    const goodsId = this.inFlight.busiest(items.map((item) => item.goodsId) as [number, ...number[]]);
    if (this.inFlight.admits(goodsId)) return this.inFlight.take(goodsId);
    const own = this.inFlight.heldBy(goodsId);
    throw new Busy(
      `Too many requests in flight on ${this.settings.instance}: ${own} for goods ${goodsId}, ${this.inFlight.held} in all. Nothing was sold. Retry after 1 s.`,
    );
  }

  /** The receipts that the order's key stands for, in the ledger or in flight. */
  private async earlier({ basket, receiptInFlight }: Purchase): Promise<Receipt[] | undefined> {
    if (basket.idempotencyKey === undefined) return undefined;
    const found = await this.receipts.find(basket);
    if (found) return found;
    const receipt = await receiptInFlight();
    return receipt && [receipt];
  }

  /** Another strategy may have moved the stock to another store: it is moved back, and the order is retried. */
  private async whereTheStockIs<T>({ signal }: BasketOrder, work: () => Promise<T>): Promise<T> {
    const giveUpAt = performance.now() + FOLLOW_MS;
    for (;;) {
      try {
        return await work();
      } catch (error) {
        if (!(error instanceof StockElsewhere) || signal.aborted || performance.now() > giveUpAt) throw error;
        await this.moves.toMysql(error.goodsId);
        await sleep(Math.random() * LONGEST_PAUSE_MS);
      }
    }
  }

  /**
   * The key is looked up before the sale, and again when the sale failed: another request with the same key may have sold
   * in the meantime, perhaps the last unit. The ledger's unique key decides between the two.
   */
  private async sellOnce(purchase: Purchase): Promise<Answer<Receipt[]>> {
    const giveUpAt = performance.now() + this.settings.lockWaitMs;
    for (;;) {
      const earlier = await this.earlier(purchase);
      if (earlier) return { replayed: true, receipt: earlier };
      try {
        return await this.sellNow(purchase);
      } catch (error) {
        const twin = isTwin(error) || error instanceof SoldOut ? await this.earlier(purchase) : undefined;
        if (twin) return { replayed: true, receipt: twin };
        if (error instanceof SoldOut) await this.refusals.record(error);
        if (!isTwin(error)) throw error;
        // The other request is in flight, has failed, or belongs to a run that has just ended: the next attempt shows which.
        if (performance.now() > giveUpAt || purchase.basket.signal.aborted) throw new AlreadySold();
        await sleep(TWIN_PAUSE_MS);
      }
    }
  }

  private async sellNow({ basket, sell, writtenLater }: Purchase): Promise<Answer<Receipt[]>> {
    const sales = await this.whereTheStockIs(basket, sell);
    // The sales are committed: nothing from here on may fail.
    if (!writtenLater) await Promise.all(sales.map(({ goodsId }) => this.changes.announce(goodsId)));
    const { instance } = this.settings;
    const { strategy } = basket;
    return { replayed: false, receipt: sales.map((sale) => ({ ...sale, strategy, instance })) };
  }
}

/** The sale failed because of another order with the same key. */
function isTwin(error: unknown): boolean {
  return error instanceof AlreadySold || mysqlErrno(error) === DUPLICATE_ENTRY;
}

function withHash<Order extends DeductOrder | BasketOrder>(order: Order, items: BasketOrder['items']): Order {
  if (order.idempotencyKey === undefined) return order;
  return { ...order, requestHash: requestHash({ strategy: order.strategy, items }) };
}
