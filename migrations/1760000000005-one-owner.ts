import { type MigrationInterface, type QueryRunner } from 'typeorm';

/** Lets several strategies sell the same goods, and records orders that Redis accepted and MySQL refused. */
export class OneOwner1760000000005 implements MigrationInterface {
  name = 'OneOwner1760000000005';

  async up(runner: QueryRunner): Promise<void> {
    // stock_in: which store may sell the goods. last_writer: the strategy, or 'return', that last wrote the stock row.
    await runner.query(`
      ALTER TABLE goods
        ADD COLUMN stock_in ENUM('mysql', 'redis', 'segments') NOT NULL DEFAULT 'mysql',
        ADD COLUMN last_writer VARCHAR(64) NOT NULL DEFAULT ''`);
    await runner.query(`
      UPDATE goods SET stock_in = CASE
        WHEN EXISTS (SELECT 1 FROM stock_segments WHERE run_id = goods.run_id AND inventory <> 0) THEN 'segments'
        WHEN gate_id IS NOT NULL THEN 'redis'
        ELSE 'mysql' END`);

    // A hash of the request that an Idempotency-Key stands for: strategy, goods and quantities of all its lines.
    await runner.query(`
      ALTER TABLE orders
        ADD COLUMN request_hash CHAR(43) CHARACTER SET ascii COLLATE ascii_bin NULL`);

    // Orders that Redis accepted and MySQL refused. Their buyers have a receipt, so the refusal must be durable.
    await runner.query(`
      CREATE TABLE IF NOT EXISTS refused_orders (
        number          BIGINT NOT NULL,
        run_id          BIGINT NOT NULL,
        goods_id        INT NOT NULL,
        strategy        VARCHAR(64) NOT NULL,
        quantity        INT NOT NULL,
        idempotency_key VARCHAR(64) CHARACTER SET ascii COLLATE ascii_bin NULL,
        request_hash    CHAR(43) CHARACTER SET ascii COLLATE ascii_bin NULL,
        reason          ENUM('out-of-stock', 'key-in-use') NOT NULL,
        created_at      DATETIME(3) NOT NULL DEFAULT CURRENT_TIMESTAMP(3),
        PRIMARY KEY (number),
        KEY refused_orders_of_a_run (run_id),
        KEY refused_orders_by_key (goods_id, run_id, idempotency_key)
      ) ENGINE = InnoDB CHARACTER SET utf8mb4`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE refused_orders');
    await runner.query('ALTER TABLE orders DROP COLUMN request_hash');
    await runner.query('ALTER TABLE goods DROP COLUMN last_writer, DROP COLUMN stock_in');
  }
}
