import { type Connection, type RowDataPacket } from 'mysql2/promise';
import { type FinalState, type LedgerRow, type RunRow } from '../evidence.js';

/** The ledger and the stock rows, as the lab's own database account sees them. */
export class LedgerReader {
  constructor(private readonly connection: Connection) {}

  /** The runs of the goods that began with, or after, the given one. */
  runs(goods: readonly number[], firstRunId: number): Promise<RunRow[]> {
    return this.rows(
      'SELECT id, goods_id AS goodsId, initial FROM runs WHERE goods_id IN (?) AND id >= ? ORDER BY id',
      [goods, firstRunId],
    );
  }

  lines(runs: readonly RunRow[]): Promise<LedgerRow[]> {
    return this.rows(
      `SELECT id, kind, run_id AS runId, goods_id AS goodsId, strategy, quantity, idempotency_key AS \`key\`,
              before_inventory AS \`before\`, after_inventory AS \`after\`, cancels, number, segment,
              gate_remaining AS told
       FROM orders WHERE run_id IN (?) ORDER BY id`,
      [runs.map(({ id }) => id)],
    );
  }

  async stock(goodsId: number): Promise<Omit<FinalState, 'audit'>> {
    const [goods] = await this.rows<{ runId: number; inventory: number }>(
      'SELECT run_id AS runId, inventory FROM goods WHERE id = ?',
      [goodsId],
    );
    if (!goods) throw new Error(`goods ${goodsId} is gone`);
    const segments = await this.rows<{ segment: number; inventory: number }>(
      'SELECT segment, inventory FROM stock_segments WHERE run_id = ? ORDER BY segment',
      [goods.runId],
    );
    return { goodsId, ...goods, segments };
  }

  private async rows<T>(sql: string, values: unknown[]): Promise<T[]> {
    const [rows] = await this.connection.query<RowDataPacket[]>(sql, values);
    return rows as T[];
  }
}
