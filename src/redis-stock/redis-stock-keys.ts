export interface RedisStockKeys {
  /** A hash: the id of the Redis stock, and the run it sells for. Without it Redis sells nothing. */
  readonly header: string;
  /** How many units Redis may still sell. */
  readonly stock: string;
  /** A hash of orders that have taken units and are not in the ledger yet: order number -> quantity and key. */
  readonly reservations: string;
  /** A hash of returned stock that is not in Redis yet: order number -> quantity. */
  readonly returns: string;
  /** A stream of orders that were accepted here and are written to MySQL later. */
  readonly orders: string;
  /** The id of the last closing of the Redis stock: only the process that closed it may open the next one. */
  readonly closing: string;
}

/** Every goods that has, or had, a Redis stock. */
export const ALL_REDIS_STOCKS = 'lockstock:gates';

/** In a cluster, the braces keep all keys of one goods on one server, as scripts require. */
export function redisStockKeys(goodsId: number): RedisStockKeys {
  const key = (name: string) => `lockstock:{goods:${goodsId}}:${name}`;
  return {
    header: key('gate'),
    stock: key('stock'),
    reservations: key('reservations'),
    returns: key('returns'),
    orders: key('orders'),
    closing: key('closing'),
  };
}

/** The answer to an order with this Idempotency-Key, for as long as its client may repeat the request. */
export function answerKey(goodsId: number, idempotencyKey: string): string {
  return `lockstock:{goods:${goodsId}}:answer:${idempotencyKey}`;
}
