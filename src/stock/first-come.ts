import { AlreadySold, ClientGone, type LockstockError, SoldOut } from '../errors.js';
import { type DeductOrder } from './order.js';
import { type StockRow } from './stock.js';

/** The stock before the sale, or why the order is refused. */
export type Decision = number | LockstockError;

/**
 * Serves orders for one goods in order of arrival from a stock row that the caller has locked. Each order meets the stock
 * that the orders before it have left: a refused one leaves it unchanged, so a later, smaller one may still be served.
 * `usedKeys` are the keys that have sold in this run.
 */
export function firstCome(
  { inventory, runId }: Pick<StockRow, 'inventory' | 'runId'>,
  orders: readonly DeductOrder[],
  usedKeys: ReadonlySet<string>,
): Decision[] {
  const used = new Set(usedKeys);
  let left = inventory;
  return orders.map(({ goodsId, quantity, idempotencyKey, signal }) => {
    if (signal.aborted) return new ClientGone();
    if (idempotencyKey !== undefined && used.has(idempotencyKey)) return new AlreadySold();
    if (quantity > left) return new SoldOut(goodsId, runId, quantity);
    if (idempotencyKey !== undefined) used.add(idempotencyKey);
    left -= quantity;
    return left + quantity;
  });
}
