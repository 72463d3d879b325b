import { type MigrationInterface, type QueryRunner } from 'typeorm';

/** What the strategies with stock in Redis need. `gate` is an earlier name of the Redis stock. */
export class RedisGate1760000000003 implements MigrationInterface {
  name = 'RedisGate1760000000003';

  async up(runner: QueryRunner): Promise<void> {
    // The id of the Redis stock that may sell this goods: an order that was deducted from another one fails at its WHERE.
    await runner.query(`
      ALTER TABLE goods ADD COLUMN gate_id CHAR(36) CHARACTER SET ascii COLLATE ascii_bin NULL`);

    // An order that is deducted in Redis has its number before it has its row; the unique key prevents a second row.
    // gate_remaining is the remaining stock on the receipt, where the receipt was sent before the row was written.
    await runner.query(`
      ALTER TABLE orders
        ADD COLUMN number BIGINT NULL,
        ADD COLUMN gate_remaining INT NULL,
        ADD UNIQUE KEY one_order_per_number (number)`);

    // Far above the ids of the ledger, so that a number and an id cannot be confused.
    await runner.query(`
      CREATE TABLE IF NOT EXISTS order_numbers (
        id   TINYINT NOT NULL,
        next BIGINT NOT NULL,
        PRIMARY KEY (id)
      ) ENGINE = InnoDB`);
    await runner.query('INSERT IGNORE INTO order_numbers (id, next) VALUES (1, 1000000000000)');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE order_numbers');
    await runner.query(
      'ALTER TABLE orders DROP KEY one_order_per_number, DROP COLUMN gate_remaining, DROP COLUMN number',
    );
    await runner.query('ALTER TABLE goods DROP COLUMN gate_id');
  }
}
