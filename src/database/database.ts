import { Inject, Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource, type QueryRunner } from 'typeorm';
import { checkpoint, observed } from '../checkpoints/checkpoint.js';
import { SETTINGS, type Settings } from '../config/settings.js';
import { Busy, ClientGone, EngineUnavailable, OutcomeUnknown } from '../errors.js';
import { LockLost, LockTimeout } from '../locks/errors.js';
import { LocalSemaphore } from '../locks/local-semaphore.js';
import { isConnectionLost, translate } from './mysql-errors.js';
import { Sql } from './sql.js';

export interface TransactionOptions {
  /** Aborted when the client has hung up: what is not committed by then is rolled back. */
  readonly signal?: AbortSignal;
  /** Aborted when the lock that protects the transaction is lost: then nothing of it is committed. */
  readonly lease?: AbortSignal;
}

/**
 * The pool, with what mysql2 leaves out: a bounded wait for a connection, a bounded queue, a deadline for work
 * that hangs, and connections thrown away rather than put back when their state is in doubt.
 * A request uses one connection at a time; taking a second one inside a transaction could wait for itself.
 */
@Injectable()
export class Database {
  private readonly gate: LocalSemaphore;
  private readonly prepared = new WeakSet<object>();
  private readonly deadlineMs: number;

  constructor(
    @InjectDataSource() private readonly source: DataSource,
    @Inject(SETTINGS) private readonly settings: Settings,
  ) {
    this.gate = new LocalSemaphore(settings.databasePool, settings.maxInFlight);
    // Longer than any wait for a row lock, or a slow lock would look like a dead server.
    this.deadlineMs = settings.lockWaitMs + 3000;
  }

  /** How long a request may wait for a lock. */
  get lockWaitMs(): number {
    return this.settings.lockWaitMs;
  }

  get pool(): { readonly size: number; readonly inUse: number; readonly waiting: number } {
    return { size: this.settings.databasePool, inUse: this.gate.held, waiting: this.gate.waiting };
  }

  /** Work on one connection, each statement its own transaction. */
  async connection<T>(work: (sql: Sql) => Promise<T>, { signal }: TransactionOptions = {}): Promise<T> {
    const started = performance.now();
    const giveBack = await this.enter(signal);
    const runner = this.source.createQueryRunner();
    const sql = new Sql(runner);
    try {
      return await this.withinDeadline(sql, async () => {
        await this.prepare(runner);
        return work(sql);
      });
    } catch (error) {
      const lost = error instanceof DeadlinePassed || isConnectionLost(error);
      if (lost || sql.phase === 'committing') sql.broken = true;
      if (lost && sql.phase === 'committing') throw new OutcomeUnknown();
      throw lost ? new EngineUnavailable('database') : translate(error, performance.now() - started);
    } finally {
      // The outcome is known by now, and returning the connection must not change it.
      if (!sql.broken) await runner.release().catch(() => (sql.broken = true));
      if (sql.broken) throwAway(runner);
      giveBack();
    }
  }

  /** Everything in `work` is committed together, or rolled back when it throws. */
  transaction<T>(work: (sql: Sql) => Promise<T>, options: TransactionOptions = {}): Promise<T> {
    return this.connection((sql) => this.transactionOn(sql, work, options), options);
  }

  /** A transaction on a connection that the caller already has, for locks that live in the connection. */
  async transactionOn<T>(
    sql: Sql,
    work: (sql: Sql) => Promise<T>,
    options: TransactionOptions = {},
  ): Promise<T> {
    await sql.change('START TRANSACTION');
    sql.phase = 'open';
    let result: T;
    try {
      await checkpoint('afterBegin');
      result = await work(sql);
      if (options.signal?.aborted) throw new ClientGone();
      if (options.lease?.aborted) throw new LockLost();
      // COMMIT on a connection that cannot be trusted would leave the outcome unknown; so far nothing has happened.
      if (sql.broken) throw new EngineUnavailable('database');
      await checkpoint('beforeCommit');
    } catch (error) {
      // A lock-wait timeout undoes only its statement, so the rest is undone here.
      await sql.change('ROLLBACK').catch(() => (sql.broken = true));
      throw error;
    }
    sql.phase = 'committing';
    await sql.change('COMMIT');
    sql.phase = 'committed';
    await checkpoint('afterCommit');
    return result;
  }

  private async enter(signal: AbortSignal | undefined): Promise<() => void> {
    try {
      return await this.gate.acquire({ waitMs: this.settings.lockWaitMs, ...(signal && { signal }) });
    } catch (error) {
      if (signal?.aborted) throw new ClientGone();
      throw error instanceof LockTimeout
        ? new Busy('Every database connection of this instance is in use.')
        : error;
    }
  }

  private async prepare(runner: QueryRunner): Promise<void> {
    const connection = (await observed('mysql', 'connect', () => runner.connect())) as object;
    if (this.prepared.has(connection)) return;
    await runner.query(
      `SET SESSION innodb_lock_wait_timeout = ${Math.ceil(this.settings.lockWaitMs / 1000)}`,
    );
    this.prepared.add(connection);
  }

  /** What is committed is no longer subject to the deadline: an error would deny a sale that stands. */
  private withinDeadline<T>(sql: Sql, work: () => Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        if (sql.phase !== 'committed') reject(new DeadlinePassed());
      }, this.deadlineMs);
      work()
        .finally(() => {
          clearTimeout(timer);
        })
        .then(resolve, reject);
    });
  }
}

class DeadlinePassed extends Error {}

/** Closes the connection instead of putting it back; one that is still being opened is closed when it is there. */
function throwAway(runner: QueryRunner): void {
  void runner.connect().then(
    (connection: { destroy(): void }) => {
      connection.destroy();
    },
    () => undefined,
  );
}
