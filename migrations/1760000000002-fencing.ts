import { type MigrationInterface, type QueryRunner } from 'typeorm';

/** What the fencing strategies compare, and the log of purchases of `idempotent`. */
export class Fencing1760000000002 implements MigrationInterface {
  name = 'Fencing1760000000002';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE goods ADD COLUMN fence BIGINT NOT NULL DEFAULT 0 AFTER lease_seq');
    await runner.query(`
      CREATE TABLE IF NOT EXISTS idempotent_log (
        goods_id   INT NOT NULL,
        run_id     BIGINT NOT NULL,
        purchase   VARCHAR(64) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
        created_at DATETIME(3) NOT NULL DEFAULT CURRENT_TIMESTAMP(3),
        PRIMARY KEY (goods_id, run_id, purchase)
      ) ENGINE = InnoDB`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE IF EXISTS idempotent_log');
    await runner.query('ALTER TABLE goods DROP COLUMN fence');
  }
}
