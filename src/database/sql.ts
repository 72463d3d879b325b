import { type EntityManager, type QueryRunner } from 'typeorm';
import { observed } from '../checkpoints/checkpoint.js';

export interface Change {
  readonly affectedRows: number;
  readonly insertId: number;
}

/** One connection, as a strategy sees it: SQL in, rows or counts out. */
export class Sql {
  /**
   * `committing`: COMMIT was sent and not answered, so the outcome is open. `broken`: a ROLLBACK failed, so
   * the connection may still be inside a transaction and must not serve anyone else.
   */
  phase: 'open' | 'committing' | 'broken' = 'open';

  constructor(private readonly runner: QueryRunner) {}

  /** TypeORM on this connection, where an entity is wanted rather than SQL. */
  get entities(): EntityManager {
    return this.runner.manager;
  }

  async rows<Row>(sql: string, parameters: readonly unknown[] = []): Promise<Row[]> {
    return (await this.send(sql, parameters)) as Row[];
  }

  async one<Row>(sql: string, parameters: readonly unknown[] = []): Promise<Row | undefined> {
    const [row] = await this.rows<Row>(sql, parameters);
    return row;
  }

  async change(sql: string, parameters: readonly unknown[] = []): Promise<Change> {
    return (await this.send(sql, parameters)) as Change;
  }

  private send(sql: string, parameters: readonly unknown[]): Promise<unknown> {
    return observed('mysql', sql, () => this.runner.query(sql, [...parameters]));
  }
}
