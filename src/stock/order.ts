import { type OrderLine } from '../contract/order.js';

/** One line of a request, as a strategy gets it. */
export interface DeductOrder extends OrderLine {
  readonly strategy: string;
  readonly idempotencyKey: string | undefined;
  /** What the key stands for: a hash of the strategy and of all lines of the request. Undefined without a key. */
  readonly requestHash?: string | undefined;
  /** Aborted when the client hangs up. */
  readonly signal: AbortSignal;
}

export interface BasketOrder extends Omit<DeductOrder, 'goodsId' | 'quantity'> {
  /** Different goods, in ascending order of id: all baskets lock in the same order, so they cannot deadlock. */
  readonly items: readonly OrderLine[];
}

/** One sale that is committed or accepted. A strategy reports sold-out goods by throwing `SoldOut`, which rolls back. */
export interface Deduction extends OrderLine {
  readonly orderId: number;
  readonly remaining: number;
  readonly attempts: number;
  readonly waitedMs: number;
}

/** One item of a basket as an order of its own. */
export function lineOf(basket: BasketOrder, item: OrderLine): DeductOrder {
  return { ...basket, ...item };
}
