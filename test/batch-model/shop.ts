import { type Connection } from 'mysql2/promise';
import { type RowDataPacket } from 'mysql2';
import { type LedgerLine } from './judge.js';

const GOODS = 1;

/** The database behind the batches, as the test sees and disturbs it, with the lab's account. */
export class ModelShop {
  private run = 0;

  constructor(
    private readonly lab: Connection,
    private readonly serviceUser: string,
  ) {}

  async reset(stock: number): Promise<number> {
    const [result] = await this.lab.query('INSERT INTO runs (goods_id, initial) VALUES (?, ?)', [
      GOODS,
      stock,
    ]);
    this.run = (result as { insertId: number }).insertId;
    await this.lab.query(
      `UPDATE goods SET inventory = ?, run_id = ?, version = version + 1, stock_in = 'mysql' WHERE id = ?`,
      [stock, this.run, GOODS],
    );
    return GOODS;
  }

  async ledger(): Promise<LedgerLine[]> {
    const [rows] = await this.lab.query<(LedgerLine & RowDataPacket)[]>(
      `SELECT id, strategy, quantity, idempotency_key AS idempotencyKey, before_inventory AS \`before\`,
              after_inventory AS \`after\` FROM orders WHERE run_id = ? AND strategy <> 'elsewhere' ORDER BY id`,
      [this.run],
    );
    return rows;
  }

  async remaining(): Promise<number> {
    const [rows] = await this.lab.query<({ inventory: number } & RowDataPacket)[]>(
      'SELECT inventory FROM goods WHERE id = ?',
      [GOODS],
    );
    return rows[0]?.inventory ?? NaN;
  }

  /** Breaks the connections of the service, as a restarted server would. */
  async kill(): Promise<void> {
    const [rows] = await this.lab.query<({ id: number } & RowDataPacket)[]>(
      'SELECT id FROM information_schema.processlist WHERE user = ? AND db = DATABASE()',
      [this.serviceUser],
    );
    for (const { id } of rows) await this.lab.query(`KILL ${id}`).catch(() => undefined);
  }

  /** Writes a line with the key without the row lock, as no strategy does. False when the key has sold already. */
  async sellElsewhere(key: string): Promise<boolean> {
    const [result] = await this.lab.query(
      `INSERT IGNORE INTO orders (kind, run_id, goods_id, strategy, quantity, idempotency_key, instance,
                                  before_inventory, after_inventory, attempts, waited_ms)
       VALUES ('SALE', ?, ?, 'elsewhere', 1, ?, 'test', 0, 0, 1, 0)`,
      [this.run, GOODS, key],
    );
    return (result as { affectedRows: number }).affectedRows === 1;
  }
}
