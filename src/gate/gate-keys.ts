export interface GateKeys {
  /** A hash: the id of the gate, and the run it sells for. Without it there is no gate, whatever the others hold. */
  readonly gate: string;
  /** How many may still pass. */
  readonly stock: string;
  /** A hash of those who have passed and are on their way into the ledger: order number -> quantity and key. */
  readonly reservations: string;
  /** A hash of stock on its way back: order number -> quantity. */
  readonly returns: string;
  /** A stream of orders that were accepted here and are written to MySQL later. */
  readonly orders: string;
  /** Names the last closing of the gate: only the process that did it may open the next one. */
  readonly closing: string;
}

/** Every goods that has, or had, a gate. */
export const ALL_GATES = 'lockstock:gates';

/** The braces keep all keys of one goods together where Redis is a cluster: scripts need them on one server. */
export function gateKeys(goodsId: number): GateKeys {
  const key = (name: string) => `lockstock:{goods:${goodsId}}:${name}`;
  return {
    gate: key('gate'),
    stock: key('stock'),
    reservations: key('reservations'),
    returns: key('returns'),
    orders: key('orders'),
    closing: key('closing'),
  };
}

/** What an order with this Idempotency-Key was told, for as long as its client may repeat it in haste. */
export function answerKey(goodsId: number, idempotencyKey: string): string {
  return `lockstock:{goods:${goodsId}}:answer:${idempotencyKey}`;
}
