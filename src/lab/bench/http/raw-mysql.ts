import { type Connection, type RowDataPacket } from 'mysql2/promise';
import { Latencies } from '../../load/latencies.js';
import { watchUtilization } from '../limits.js';
import { type Measured } from '../turns.js';

const SALE =
  'INSERT INTO orders (kind, run_id, goods_id, strategy, quantity, instance, before_inventory, after_inventory, attempts, waited_ms) VALUES ?';

interface Row extends RowDataPacket {
  readonly inventory: number;
  readonly run: number;
}

/** The statements of a sale, sent by mysql2 alone. Resolves with the number of units sold. */
export type RawSale = (connection: Connection, goodsId: number) => Promise<number>;

function lines({ inventory, run }: Row, goodsId: number, count: number): unknown[][] {
  return Array.from({ length: count }, (_, index) => [
    ...['SALE', run, goodsId, 'raw', 1, 'bench'],
    ...[inventory - index, inventory - index - 1, 1, 0],
  ]);
}

/** Five round trips, or the same for several orders at once. */
export function forUpdate(orders: number): RawSale {
  return async (connection, goodsId) => {
    await connection.query('START TRANSACTION');
    const [[row]] = await connection.query<Row[]>(
      'SELECT inventory, run_id AS run FROM goods WHERE id = ? FOR UPDATE',
      [goodsId],
    );
    if (!row) return 0;
    await connection.query('UPDATE goods SET inventory = ?, version = version + 1 WHERE id = ?', [
      row.inventory - orders,
      goodsId,
    ]);
    await connection.query(SALE, [lines(row, goodsId, orders)]);
    await connection.query('COMMIT');
    return orders;
  };
}

export const sqlAtomic: RawSale = async (connection, goodsId) => {
  await connection.query('START TRANSACTION');
  await connection.query(
    'UPDATE goods SET inventory = inventory - 1, version = version + 1 WHERE id = ? AND inventory >= 1',
    [goodsId],
  );
  const [[row]] = await connection.query<Row[]>(
    'SELECT inventory + 1 AS inventory, run_id AS run FROM goods WHERE id = ?',
    [goodsId],
  );
  if (!row) return 0;
  await connection.query(SALE, [lines(row, goodsId, 1)]);
  await connection.query('COMMIT');
  return 1;
};

export const storedProcedure: RawSale = async (connection, goodsId) => {
  await connection.query("CALL deduct_stock(?, 1, 'raw', 'bench', NULL, NULL)", [goodsId]);
  return 1;
};

export interface RawLoad {
  readonly goodsId: number;
  readonly seconds: number;
  readonly stop: AbortSignal;
}

/** Sells on all connections at once for some seconds. Resolves with the units sold per second. */
export async function sellRaw(
  sale: RawSale,
  connections: readonly Connection[],
  { goodsId, seconds, stop }: RawLoad,
): Promise<Measured | undefined> {
  const utilization = watchUtilization();
  const latencies = new Latencies();
  const began = performance.now();
  const end = began + seconds * 1000;
  const sold = await Promise.all(
    connections.map(async (connection) => {
      let units = 0;
      while (performance.now() < end && !stop.aborted) {
        const sent = performance.now();
        units += await sale(connection, goodsId);
        latencies.record(performance.now() - sent);
      }
      return units;
    }),
  );
  if (stop.aborted) return undefined;
  const total = sold.reduce((sum, units) => sum + units, 0);
  const value = total / ((performance.now() - began) / 1000);
  return { value, p99: latencies.at(99), utilization: utilization() };
}
