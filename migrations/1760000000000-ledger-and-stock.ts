import { type MigrationInterface, type QueryRunner } from 'typeorm';

/** The tables. `orders` has no UPDATE or DELETE for the service's account: see the grants in migrate.ts. */
export class LedgerAndStock1760000000000 implements MigrationInterface {
  name = 'LedgerAndStock1760000000000';

  async up(runner: QueryRunner): Promise<void> {
    // inventory is signed on purpose: a strategy that oversells must be able to show it.
    await runner.query(`
      CREATE TABLE IF NOT EXISTS goods (
        id          INT NOT NULL AUTO_INCREMENT,
        category    VARCHAR(64) NOT NULL,
        brand       VARCHAR(64) NOT NULL,
        name        VARCHAR(128) NOT NULL,
        picture     VARCHAR(255) NOT NULL,
        description VARCHAR(1000) NOT NULL,
        status      VARCHAR(16) NOT NULL DEFAULT 'on-sale',
        price       DECIMAL(10, 2) NOT NULL,
        supply      INT NOT NULL,
        inventory   INT NOT NULL,
        properties  JSON NOT NULL,
        version     INT NOT NULL DEFAULT 0,
        lease_seq   BIGINT NOT NULL DEFAULT 0,
        run_id      BIGINT NOT NULL DEFAULT 0,
        created_at  DATETIME(3) NOT NULL DEFAULT CURRENT_TIMESTAMP(3),
        updated_at  DATETIME(3) NOT NULL DEFAULT CURRENT_TIMESTAMP(3) ON UPDATE CURRENT_TIMESTAMP(3),
        PRIMARY KEY (id)
      ) ENGINE = InnoDB CHARACTER SET utf8mb4`);

    // A run is what happens to one goods between two resets.
    await runner.query(`
      CREATE TABLE IF NOT EXISTS runs (
        id         BIGINT NOT NULL AUTO_INCREMENT,
        goods_id   INT NOT NULL,
        initial    INT NOT NULL,
        started_at DATETIME(3) NOT NULL DEFAULT CURRENT_TIMESTAMP(3),
        PRIMARY KEY (id)
      ) ENGINE = InnoDB`);

    // The ledger. before/after is the stock as the strategy saw it; the audit compares it with the previous order.
    await runner.query(`
      CREATE TABLE IF NOT EXISTS orders (
        id               BIGINT NOT NULL AUTO_INCREMENT,
        kind             ENUM('SALE', 'RETURN') NOT NULL,
        run_id           BIGINT NOT NULL,
        goods_id         INT NOT NULL,
        strategy         VARCHAR(64) NOT NULL,
        quantity         INT NOT NULL,
        idempotency_key  VARCHAR(64) CHARACTER SET ascii COLLATE ascii_bin NULL,
        instance         VARCHAR(64) NOT NULL,
        before_inventory INT NOT NULL,
        after_inventory  INT NOT NULL,
        fence            BIGINT NULL,
        lease_seq        BIGINT NULL,
        attempts         INT NOT NULL,
        waited_ms        INT NOT NULL,
        cancels          BIGINT NULL,
        created_at       DATETIME(3) NOT NULL DEFAULT CURRENT_TIMESTAMP(3),
        PRIMARY KEY (id),
        UNIQUE KEY one_order_per_key (goods_id, run_id, idempotency_key),
        UNIQUE KEY one_return_per_order (cancels),
        KEY orders_of_a_run (run_id)
      ) ENGINE = InnoDB CHARACTER SET utf8mb4`);

    // The smallest quantity that each instance refused as sold out in a run: enough to find a false "sold out".
    await runner.query(`
      CREATE TABLE IF NOT EXISTS refusals (
        run_id   BIGINT NOT NULL,
        instance VARCHAR(64) NOT NULL,
        quantity INT NOT NULL,
        PRIMARY KEY (run_id, instance)
      ) ENGINE = InnoDB CHARACTER SET utf8mb4`);

    await runner.query(`
      CREATE TABLE IF NOT EXISTS lock_rows (
        name       VARCHAR(64) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
        owner      CHAR(36) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
        expires_at DATETIME(3) NOT NULL,
        PRIMARY KEY (name)
      ) ENGINE = InnoDB`);
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const table of ['lock_rows', 'refusals', 'orders', 'runs', 'goods']) {
      await runner.query(`DROP TABLE IF EXISTS ${table}`);
    }
  }
}
