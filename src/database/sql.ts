import { type EntityManager, type QueryRunner } from 'typeorm';
import { type DriverConnection, observed } from '../checkpoints/checkpoint.js';

export interface Change {
  readonly affectedRows: number;
  readonly insertId: number;
}

/** A connection of mysql2, with its callbacks. */
interface Mysql2Connection extends DriverConnection {
  readonly threadId: number;
  query(
    sql: string,
    values: readonly unknown[],
    done: (error: Error | null, result: unknown) => void,
  ): unknown;
}

const END_WITHIN_MS = 1000;

/** One connection, as a strategy sees it: SQL in, rows or counts out. */
export class Sql {
  /**
   * `committing`: COMMIT was sent and not answered, so the outcome is unknown. `committed`: the outcome is known, and
   * nothing that happens on the connection afterwards can change it.
   */
  phase: 'open' | 'committing' | 'committed' = 'open';
  /** The connection may still be inside a transaction or hold a lock: it is closed instead of being reused. */
  broken = false;

  constructor(private readonly runner: QueryRunner) {}

  /** TypeORM's entities on this connection. */
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

  /** The row with which a procedure answers. */
  async call<Row>(sql: string, parameters: readonly unknown[]): Promise<Row | undefined> {
    const [rows] = (await this.send(sql, parameters)) as [readonly Row[]];
    return rows[0];
  }

  /** Ends something that belongs to the connection, such as a lock. If that fails or takes too long, the connection is broken. */
  async orBreak(end: () => Promise<unknown>): Promise<void> {
    let late: NodeJS.Timeout | undefined;
    const timeout = new Promise<never>((_, reject) => {
      late = setTimeout(() => {
        reject(new Error('no answer'));
      }, END_WITHIN_MS);
    });
    try {
      await Promise.race([end(), timeout]);
    } catch {
      this.broken = true;
    } finally {
      clearTimeout(late);
    }
  }

  private send(sql: string, parameters: readonly unknown[]): Promise<unknown> {
    return observed('mysql', sql, () => this.query(sql, parameters), {
      values: parameters,
      connection: async () => (await this.connection()).threadId,
      over: () => this.connection(),
    });
  }

  /**
   * Past TypeORM, and past the promises of mysql2: both create objects and a stack trace for each statement, a tenth of an
   * instance's time.
   */
  private async query(sql: string, parameters: readonly unknown[]): Promise<unknown> {
    if (this.runner.isReleased) throw new Error('The connection is already back in the pool.');
    const connection = await this.connection();
    return new Promise((resolve, reject) => {
      connection.query(sql, parameters, (error, result) => {
        if (error) reject(error);
        else resolve(result);
      });
    });
  }

  private connection(): Promise<Mysql2Connection> {
    return this.runner.connect() as Promise<Mysql2Connection>;
  }
}
