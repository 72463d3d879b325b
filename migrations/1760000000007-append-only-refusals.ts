import { type MigrationInterface, type QueryRunner } from 'typeorm';

/** Makes refusals append-only, and adds an index by which an audit finds the new lines of each stock row. */
export class AppendOnlyRefusals1760000000007 implements MigrationInterface {
  name = 'AppendOnlyRefusals1760000000007';

  async up(runner: QueryRunner): Promise<void> {
    // A smaller quantity is a new line, so that the service needs no right to change one.
    await runner.query(`
      ALTER TABLE refusals DROP PRIMARY KEY, ADD PRIMARY KEY (run_id, instance, quantity)`);
    await runner.query(`
      ALTER TABLE orders DROP KEY orders_of_a_run, ADD KEY orders_of_a_run (run_id, segment, id)`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE orders DROP KEY orders_of_a_run, ADD KEY orders_of_a_run (run_id)');
    await runner.query(`
      DELETE larger FROM refusals AS larger JOIN refusals AS smaller
        ON smaller.run_id = larger.run_id AND smaller.instance = larger.instance
        AND smaller.quantity < larger.quantity`);
    await runner.query('ALTER TABLE refusals DROP PRIMARY KEY, ADD PRIMARY KEY (run_id, instance)');
  }
}
