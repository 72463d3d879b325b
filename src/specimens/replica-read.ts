import { createConnection } from 'mysql2/promise';
import { observed } from '../checkpoints/checkpoint.js';
import { readTls } from '../config/database-tls.js';
import { type Settings } from '../config/settings.js';
import { EngineUnavailable } from '../errors.js';
import { known, STOCK_COLUMNS, type StockRow } from '../stock/stock.js';

/** The stock as a replica of the database has it, which may be old. */
export async function readFromReplica({ replicaUrl }: Settings, goodsId: number): Promise<StockRow> {
  if (replicaUrl === undefined) throw new EngineUnavailable('database');
  // A connection each time: a specimen need not be fast.
  const { url, tls } = readTls(replicaUrl);
  const replica = await createConnection({
    uri: url.replace(/^mariadb:/, 'mysql:'),
    ...(tls && { ssl: tls }),
  });
  try {
    const sql = `SELECT ${STOCK_COLUMNS} FROM goods WHERE id = ?`;
    const ask = async () => {
      const [rows] = await replica.query(sql, [goodsId]);
      return rows as StockRow[];
    };
    const details = { values: [goodsId], port: Number(new URL(url).port) };
    const [row] = await observed('mysql', sql, ask, details);
    return known(goodsId, row);
  } finally {
    replica.destroy();
  }
}
