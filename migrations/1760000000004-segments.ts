import { type MigrationInterface, type QueryRunner } from 'typeorm';

/** What `segmented` needs: the stock of a run in several rows, and a ledger that follows each of them. */
export class Segments1760000000004 implements MigrationInterface {
  name = 'Segments1760000000004';

  async up(runner: QueryRunner): Promise<void> {
    // Units in this table are not in goods.inventory. Both columns are signed, so that overselling shows.
    await runner.query(`
      CREATE TABLE IF NOT EXISTS stock_segments (
        run_id    BIGINT NOT NULL,
        segment   TINYINT NOT NULL,
        inventory INT NOT NULL,
        PRIMARY KEY (run_id, segment)
      ) ENGINE = InnoDB`);

    // The stock row of a line: a segment, or NULL for the row in goods. A MOVE is stock that moved to another row.
    await runner.query(`
      ALTER TABLE orders
        MODIFY COLUMN kind ENUM('SALE', 'RETURN', 'MOVE') NOT NULL,
        ADD COLUMN segment TINYINT NULL`);
  }

  async down(runner: QueryRunner): Promise<void> {
    // The stock is moved back to the goods' row. Sales stay; the chain of a run with segments is lost.
    await runner.query(`
      UPDATE goods JOIN (SELECT run_id, SUM(inventory) AS inventory FROM stock_segments GROUP BY run_id) AS split
        ON split.run_id = goods.run_id
      SET goods.inventory = goods.inventory + split.inventory`);
    await runner.query(`DELETE FROM orders WHERE kind = 'MOVE'`);
    await runner.query(`
      ALTER TABLE orders DROP COLUMN segment, MODIFY COLUMN kind ENUM('SALE', 'RETURN') NOT NULL`);
    await runner.query('DROP TABLE stock_segments');
  }
}
