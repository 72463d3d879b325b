import { Inject, Injectable } from '@nestjs/common';
import { SETTINGS, type Settings } from '../config/settings.js';
import { DUPLICATE_ENTRY, mysqlErrno } from '../database/mysql-errors.js';
import { AlreadySold, Busy, SoldOut } from '../errors.js';
import { Metrics } from '../metrics/metrics.js';
import { StrategyRegistry } from '../strategies/registry.js';
import { type BasketOrder, type Deduction, type DeductOrder } from '../strategies/strategy.js';
import { CancelTokens } from './cancel-tokens.js';
import { GoodsCache } from './goods-cache.js';
import { type Receipt, Receipts, requireSameOrder, type SignedReceipt } from './receipts.js';
import { Refusals } from './refusals.js';

export interface Answer<T> {
  readonly replayed: boolean;
  readonly receipt: T;
}

/** One deduction from the request to its receipt: the strategy sells, this sees to keys, refusals and metrics. */
@Injectable()
export class Deductions {
  private inFlight = 0;

  constructor(
    private readonly strategies: StrategyRegistry,
    private readonly receipts: Receipts,
    private readonly refusals: Refusals,
    private readonly metrics: Metrics,
    private readonly cache: GoodsCache,
    private readonly tokens: CancelTokens,
    @Inject(SETTINGS) private readonly settings: Settings,
  ) {}

  async deduct(order: DeductOrder): Promise<Answer<SignedReceipt>> {
    const strategy = this.strategies.get(order.strategy);
    const { replayed, receipt } = await this.sell(
      { ...order, items: [order] },
      async () => [await strategy.deduct(order)],
      () => strategy.accepted?.(order),
    );
    return { replayed, receipt: receipt[0] as SignedReceipt };
  }

  deductAll(basket: BasketOrder): Promise<Answer<SignedReceipt[]>> {
    const strategy = this.strategies.getForBaskets(basket.strategy);
    return this.sell(basket, () => strategy.deductAll(basket));
  }

  private async sell(
    basket: BasketOrder,
    work: () => Promise<Deduction[]>,
    accepted: () => Promise<Receipt | undefined> | undefined = () => undefined,
  ): Promise<Answer<SignedReceipt[]>> {
    if (this.inFlight >= this.settings.maxInFlight) throw new Busy('This instance has enough to do already.');
    this.inFlight += 1;
    try {
      const answer = await this.metrics.observe(basket.strategy, () => this.sellOnce(basket, work, accepted));
      return { ...answer, receipt: answer.receipt.map((receipt) => this.signed(receipt)) };
    } finally {
      this.inFlight -= 1;
    }
  }

  private signed(receipt: Receipt): SignedReceipt {
    return { ...receipt, cancelToken: this.tokens.tokenOf(receipt.orderId) };
  }

  /** The receipts that the order's key stands for, in the ledger or on their way into it. */
  private async earlier(
    basket: BasketOrder,
    accepted: () => Promise<Receipt | undefined> | undefined,
  ): Promise<Receipt[] | undefined> {
    if (basket.idempotencyKey === undefined) return undefined;
    let found = await this.receipts.find(basket);
    if (!found) {
      const receipt = await accepted();
      found = receipt && [receipt];
    }
    if (found) requireSameOrder(basket, found);
    return found;
  }

  /**
   * The key is looked up before the sale, and again when the sale failed: the twin of this request may have sold
   * in the meantime, even the last one in stock. The ledger's unique key decides between the two.
   */
  private async sellOnce(
    basket: BasketOrder,
    work: () => Promise<Deduction[]>,
    accepted: () => Promise<Receipt | undefined> | undefined,
  ): Promise<Answer<Receipt[]>> {
    const earlier = await this.earlier(basket, accepted);
    if (earlier) return { replayed: true, receipt: earlier };
    let sales: Deduction[];
    try {
      sales = await work();
    } catch (error) {
      const mayBeTwin =
        error instanceof SoldOut || error instanceof AlreadySold || mysqlErrno(error) === DUPLICATE_ENTRY;
      const twin = mayBeTwin ? await this.earlier(basket, accepted) : undefined;
      if (twin) return { replayed: true, receipt: twin };
      if (error instanceof SoldOut) await this.refusals.record(error);
      throw error;
    }
    // The sales are committed: nothing from here on may fail.
    await Promise.all(sales.map(({ goodsId }) => this.cache.invalidate(goodsId)));
    const { instance } = this.settings;
    const { strategy } = basket;
    return { replayed: false, receipt: sales.map((sale) => ({ ...sale, strategy, instance })) };
  }
}
