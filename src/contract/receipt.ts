/** One line of an order that was sold. Everything in it is in the ledger, so the answer can be repeated. */
export interface Receipt {
  readonly orderId: number;
  readonly goodsId: number;
  readonly strategy: string;
  readonly quantity: number;
  readonly remaining: number;
  readonly instance: string;
  readonly attempts: number;
  readonly waitedMs: number;
  /** Only on a repeated receipt: the order has been cancelled since. */
  readonly cancelled?: true;
}

/** A receipt as the client gets it, with the secret that cancels the order. */
export interface SignedReceipt extends Receipt {
  readonly cancelToken: string;
}

/** The answer to a basket: a receipt for each line. */
export interface BasketReceipt {
  readonly orders: readonly SignedReceipt[];
}
