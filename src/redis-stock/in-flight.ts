import { type Sql } from '../database/sql.js';
import { refusedNumbers, writtenNumbers } from './order-writer.js';
import { type RedisStockState } from './redis-stock.js';

/** Units that are taken in Redis and not in the ledger yet, or returned in the ledger and not in Redis yet. */
export async function inFlight(sql: Sql, runId: number, redisState: RedisStockState): Promise<number> {
  // While the Redis stock is rebuilt, the reservations of the old one still count.
  const leaving = new Map(
    redisState.id === null || redisState.runId === runId ? redisState.reservations : [],
  );
  for (const order of redisState.orders) if (order.runId === runId) leaving.set(order.number, order.quantity);
  for (const number of await writtenNumbers(sql, [...leaving.keys()])) leaving.delete(number);
  for (const number of await refusedNumbers(sql, [...leaving.keys()])) leaving.delete(number);
  const coming = await returnedOrders(sql, [...redisState.returns.keys()]);
  const quantities = [...leaving.values(), ...coming.map((orderId) => redisState.returns.get(orderId) ?? 0)];
  return quantities.reduce((sum, quantity) => sum + quantity, 0);
}

/** Those of these orders that are returned in the ledger. */
async function returnedOrders(sql: Sql, orderIds: readonly number[]): Promise<number[]> {
  if (orderIds.length === 0) return [];
  const rows = await sql.rows<{ orderId: number }>(
    `SELECT COALESCE(sale.number, sale.id) AS orderId
     FROM orders AS sale JOIN orders AS back ON back.cancels = sale.id
     WHERE sale.number IN (?) OR (sale.id IN (?) AND sale.number IS NULL)`,
    [orderIds, orderIds],
  );
  return rows.map(({ orderId }) => orderId);
}
