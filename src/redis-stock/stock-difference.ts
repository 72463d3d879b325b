import { type Sql } from '../database/sql.js';
import { inFlight } from './in-flight.js';
import { type RedisStockState } from './redis-stock.js';

export interface Difference {
  readonly kind: 'unknown-gate' | 'abandoned-order' | 'abandoned-return' | 'stock';
  readonly detail: string;
}

interface Row {
  readonly inventory: number;
  readonly runId: number;
  readonly stockIn: string;
  readonly gateId: string | null;
}

/** How the Redis stock of a goods differs from MySQL. An order in flight is a difference for a moment. */
export async function differencesOf(
  sql: Sql,
  goodsId: number,
  redisState: RedisStockState,
): Promise<Difference[]> {
  const row = await sql.one<Row>(
    'SELECT inventory, run_id AS runId, stock_in AS stockIn, gate_id AS gateId FROM goods WHERE id = ?',
    [goodsId],
  );
  if (!row) return [];
  const isOpen = redisState.id !== null;
  if (isOpen && (row.stockIn !== 'redis' || row.gateId !== redisState.id)) {
    return [{ kind: 'unknown-gate', detail: 'Redis sells stock that MySQL has not moved there' }];
  }
  if (row.stockIn !== 'redis') return [];
  const offset = redisState.stock + (await inFlight(sql, row.runId, redisState)) - row.inventory;
  return [
    ...[...redisState.reservations.keys()].map(
      (number) =>
        ({
          kind: 'abandoned-order',
          detail: `order ${number} was deducted in Redis and is not in the ledger`,
        }) as const,
    ),
    ...[...redisState.returns.keys()].map(
      (orderId) =>
        ({
          kind: 'abandoned-return',
          detail: `the return of order ${orderId} has not reached Redis`,
        }) as const,
    ),
    ...(isOpen && offset !== 0
      ? [
          {
            kind: 'stock',
            detail: `Redis counts ${Math.abs(offset)} ${offset > 0 ? 'more' : 'fewer'} than MySQL`,
          } as const,
        ]
      : []),
  ];
}
