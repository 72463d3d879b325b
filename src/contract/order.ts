/** A quantity of one goods. */
export interface OrderLine {
  readonly goodsId: number;
  readonly quantity: number;
}

/** The body of `POST /goods/:id/deduct/:strategy`. */
export interface DeductRequest {
  readonly quantity: number;
}

/** The body of `POST /orders/:strategy`: different goods, all of them sold or none. */
export interface BasketRequest {
  readonly items: readonly OrderLine[];
}

/** The body of `POST /orders/:orderId/cancel`. The token may also be in the Authorization header. */
export interface CancelRequest {
  readonly cancelToken?: string | undefined;
}

/** The body of `POST /goods/:id/reset`. */
export interface ResetRequest {
  readonly inventory: number;
  /** The store that the run begins in, `mysql` by default. The first sale by a strategy of the other kind moves it. */
  readonly stock?: 'mysql' | 'redis' | undefined;
}

/** The answer to a reset. */
export interface NewRun {
  readonly goodsId: number;
  readonly runId: number;
  readonly inventory: number;
}

/** The answer to a cancellation. */
export interface Cancellation {
  readonly orderId: number;
  readonly returnId: number;
  readonly goodsId: number;
  readonly quantity: number;
  readonly remaining: number;
  /** False when an earlier call had returned the stock already. */
  readonly returned: boolean;
}

/** The answer to `GET /orders/:orderId`. */
export interface OrderStatus {
  readonly orderId: number;
  readonly state: 'sold' | 'cancelled' | 'in-flight' | 'refused';
  /** Why an accepted order was refused. */
  readonly reason?: string;
  readonly goodsId?: number;
  readonly strategy?: string;
  readonly quantity?: number;
  readonly remaining?: number;
  readonly instance?: string;
}

/** One page of `GET /goods/:id/orders`: the sales of the current run. */
export interface SoldOrdersPage {
  readonly runId: number;
  /** The ids on the receipts. */
  readonly orderIds: readonly number[];
  /** Where the next page begins, or null when this is the last one. */
  readonly next: number | null;
}
