import { randomBytes } from 'node:crypto';
import { type MigrationInterface, type QueryRunner } from 'typeorm';

const SECRET_BYTES = 32;

/** Keys that all instances share. The first one signs the cancel tokens of receipts. */
export class Secrets1760000000006 implements MigrationInterface {
  name = 'Secrets1760000000006';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE IF NOT EXISTS secrets (
        name  VARCHAR(64) NOT NULL PRIMARY KEY,
        value VARBINARY(64) NOT NULL
      ) ENGINE = InnoDB`);
    // An earlier attempt may have inserted the key: tokens that are in use must stay valid.
    await runner.query(`INSERT IGNORE INTO secrets (name, value) VALUES ('cancel-token', ?)`, [
      randomBytes(SECRET_BYTES),
    ]);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE secrets');
  }
}
