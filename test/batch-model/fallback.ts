/**
 * Sells a batch of orders that the server refuses because of one of them, so that `batch` sells them one by one, while another
 * transaction holds the row. Prints what each order was told, and how many transactions there were. The environment: as for
 * `main.ts`.
 */
import 'reflect-metadata';
import { type Connection, createConnection, type RowDataPacket } from 'mysql2/promise';
import { DataSource } from 'typeorm';
import { arm, type CheckpointName, type Observer } from '../../src/checkpoints/checkpoint.js';
import { readSettings } from '../../src/config/settings.js';
import { Database, poolSize } from '../../src/database/database.js';
import { dataSourceOptions } from '../../src/database/options.js';
import { Ledger } from '../../src/stock/ledger.js';
import { Batch } from '../../src/strategies/process/batch.js';
import { eventually } from '../support/eventually.js';
import { ModelShop } from './shop.js';

const ORDERS = 12;
const REFUSED = 'refused-order';

/** Counts the transactions. Has another one wait for the row of the first before that one is rolled back. */
class RowTaker implements Observer {
  transactions = 0;
  /** Resolves when the other transaction has the row. */
  taken: Promise<unknown> = Promise.resolve();

  constructor(
    private readonly lab: Connection,
    private readonly other: Connection,
  ) {}

  async arrive(name: CheckpointName): Promise<void> {
    if (name === 'afterBegin') this.transactions += 1;
    if (name !== 'afterWrite' || this.transactions > 1) return;
    await this.other.query('START TRANSACTION');
    this.taken = this.other.query('SELECT id FROM goods WHERE id = 1 FOR UPDATE');
    await eventually('the other transaction waits for the row', () => this.waits());
  }

  query<T>(_server: 'mysql' | 'redis', _text: string, send: () => Promise<T>): Promise<T> {
    return send();
  }

  holdsCommands(): boolean {
    return false;
  }

  unobserved<T>(work: () => T): T {
    return work();
  }

  private async waits(): Promise<boolean> {
    const [rows] = await this.lab.query<RowDataPacket[]>(
      'SELECT 1 FROM information_schema.innodb_trx WHERE trx_state = ? AND trx_mysql_thread_id = ?',
      ['LOCK WAIT', this.other.threadId],
    );
    return rows.length > 0;
  }
}

async function main(): Promise<void> {
  const settings = readSettings({ ...process.env, LOCK_WAIT_MS: '1000' });
  const options = dataSourceOptions(settings.databaseUrl, poolSize(settings));
  const source = await new DataSource(options).initialize();
  const lab = await createConnection(process.env['LAB_URL'] ?? '');
  const other = await createConnection(process.env['LAB_URL'] ?? '');
  const batch = new Batch(new Database(source, settings), new Ledger(settings), settings);
  const goodsId = await new ModelShop(lab, new URL(settings.databaseUrl).username).reset(100);
  const sell = (idempotencyKey?: string) => {
    const { signal } = new AbortController();
    return batch.deduct({ goodsId, quantity: 1, strategy: 'batch', idempotencyKey, signal });
  };
  await lab.query(
    `CREATE TRIGGER refuse_order BEFORE INSERT ON orders FOR EACH ROW
     IF NEW.idempotency_key = '${REFUSED}' THEN SIGNAL SQLSTATE '45000'; END IF`,
  );
  try {
    const taker = new RowTaker(lab, other);
    arm(taker);
    const told = await Promise.allSettled(
      Array.from({ length: ORDERS }, (_, index) => sell(index === 5 ? REFUSED : undefined)),
    );
    const { transactions } = taker;
    await taker.taken;
    await other.query('ROLLBACK');
    const said = told.map((one) =>
      one.status === 'fulfilled' ? 'sold' : (one.reason as Error).constructor.name,
    );
    const { remaining } = await sell();
    console.log(JSON.stringify({ told: said, transactions, remaining }));
  } finally {
    await lab.query('DROP TRIGGER refuse_order');
  }
}

main().then(
  () => process.exit(0),
  (error: unknown) => {
    console.error(error);
    process.exit(2);
  },
);
