import { readFileSync } from 'node:fs';
import { type MigrationInterface, type QueryRunner } from 'typeorm';

/** What `stored-procedure` calls. A changed procedure gets a new name: the previous version calls the old one. */
export const DEDUCT_STOCK = readFileSync(new URL('1760000000008-deduct-stock.sql', import.meta.url), 'utf8');

/**
 * Creates the procedure. It runs with the rights of the account that creates it, so the service's account needs EXECUTE
 * only.
 */
export class StoredProcedure1760000000008 implements MigrationInterface {
  name = 'StoredProcedure1760000000008';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(DEDUCT_STOCK);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP PROCEDURE IF EXISTS deduct_stock');
  }
}
