import { Inject, Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource, type QueryRunner } from 'typeorm';
import { checkpoint, observed } from '../checkpoints/checkpoint.js';
import { SETTINGS, type Settings } from '../config/settings.js';
import { Busy, ClientGone, EngineUnavailable, OutcomeUnknown } from '../errors.js';
import { LockLost, LockTimeout, TooManyWaiting } from '../locks/errors.js';
import { LocalSemaphore } from '../locks/local-semaphore.js';
import { ConnectionSlots } from './connection-slots.js';
import { isConnectionLost, isRolledBack, translate } from './mysql-errors.js';
import { Sql } from './sql.js';

/**
 * Reserved connections, by purpose. No purpose may wait for requests or for another purpose: a health check would report a
 * busy database as down, a long audit would delay requests, and requests for all goods wait for order numbers.
 */
const RESERVED = { health: 1, audit: 2, orderNumbers: 1, refusals: 1 } as const;
type Purpose = keyof typeof RESERVED;

export function poolSize({ databasePool }: Settings): number {
  return Object.values(RESERVED).reduce((sum: number, size) => sum + size, databasePool);
}

/** The share of requests that name no goods. */
const ANY_GOODS = 'any';
type Owner = number | typeof ANY_GOODS;

export interface TransactionOptions {
  /** The goods whose share of the connections is used: one for an order, several for a basket. */
  readonly goodsId?: number;
  readonly items?: readonly { readonly goodsId: number }[];
  /** Uses a connection that is reserved for this purpose. */
  readonly purpose?: Purpose;
  /** Aborted when the client has hung up: a transaction that is not committed by then is rolled back. */
  readonly signal?: AbortSignal;
  /** Aborted when the lock that protects the transaction is lost: then the transaction is rolled back. */
  readonly lease?: AbortSignal;
}

/**
 * The connection pool, with what mysql2 does not have: a bounded wait for a connection, a bounded queue, a share for each
 * goods, a deadline for work that hangs, and connections that are closed instead of reused when their state is uncertain.
 * A request uses one connection at a time; a second one inside a transaction could wait for the first.
 */
@Injectable()
export class Database {
  private readonly slots: ConnectionSlots<Owner>;
  private readonly reserved: Readonly<Record<Purpose, LocalSemaphore>>;
  private readonly prepared = new WeakSet<object>();
  private readonly deadlineMs: number;

  constructor(
    @InjectDataSource() private readonly source: DataSource,
    @Inject(SETTINGS) private readonly settings: Settings,
  ) {
    const { databasePool, goodsShare, maxInFlight } = settings;
    this.slots = new ConnectionSlots(databasePool, goodsShare, maxInFlight);
    const reserved = (purpose: Purpose) => new LocalSemaphore(RESERVED[purpose], maxInFlight);
    this.reserved = {
      health: reserved('health'),
      audit: reserved('audit'),
      orderNumbers: reserved('orderNumbers'),
      refusals: reserved('refusals'),
    };
    // Longer than any wait for a row lock: otherwise a slow lock would look like a dead server.
    this.deadlineMs = settings.lockWaitMs + 3000;
  }

  /** How long a request may wait for a lock. */
  get lockWaitMs(): number {
    return this.settings.lockWaitMs;
  }

  get pool(): { readonly size: number; readonly inUse: number; readonly waiting: number } {
    return { size: this.settings.databasePool, inUse: this.slots.held, waiting: this.slots.waiting };
  }

  /** Work on one connection, each statement its own transaction. */
  async connection<T>(work: (sql: Sql) => Promise<T>, options: TransactionOptions = {}): Promise<T> {
    const started = performance.now();
    const giveBack = await this.enter(options);
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
      // The COMMIT may have failed before or after the order became durable.
      if (sql.phase === 'committing' && !isRolledBack(error)) throw new OutcomeUnknown();
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

  /** A transaction on a connection that the caller already has, for locks that belong to the connection. */
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
      // COMMIT on a broken connection would leave the outcome unknown; so far nothing is committed.
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

  private async enter({ signal, goodsId, items, purpose }: TransactionOptions): Promise<() => void> {
    const wait = { waitMs: this.settings.lockWaitMs, ...(signal && { signal }) };
    if (purpose) return this.admitted(this.reserved[purpose].acquire(wait), `for ${purpose}`, signal);
    const owners: Owner[] = items?.map((item) => item.goodsId) ?? [goodsId ?? ANY_GOODS];
    const owner = this.slots.busiest([owners[0] ?? ANY_GOODS, ...owners.slice(1)]);
    const whose = owner === ANY_GOODS ? 'for requests' : `that goods ${owner} may use`;
    return this.admitted(this.slots.acquire(owner, wait), whose, signal);
  }

  /** The error of a wait that failed: what happened, why, and what to do. */
  private async admitted<T>(place: Promise<T>, whose: string, signal: AbortSignal | undefined): Promise<T> {
    try {
      return await place;
    } catch (error) {
      if (signal?.aborted) throw new ClientGone();
      const { instance, lockWaitMs, maxInFlight } = this.settings;
      const connection = `a database connection of ${instance} ${whose}`;
      if (error instanceof TooManyWaiting)
        throw new Busy(
          `${maxInFlight} requests already wait for ${connection}. Nothing was changed. Retry after 1 s.`,
        );
      if (error instanceof LockTimeout)
        throw new Busy(
          `The request waited ${lockWaitMs} ms for ${connection}: all of them are in use. Nothing was changed. Retry after 1 s.`,
        );
      throw error;
    }
  }

  private async prepare(runner: QueryRunner): Promise<void> {
    await observed('mysql', 'connect', async () => {
      const connection = (await runner.connect()) as object;
      if (this.prepared.has(connection)) return;
      await runner.query(
        `SET SESSION innodb_lock_wait_timeout = ${Math.ceil(this.settings.lockWaitMs / 1000)}`,
      );
      this.prepared.add(connection);
    });
  }

  /** The deadline ends with the COMMIT: an error after it would deny a sale that exists. */
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

/** Closes the connection instead of returning it to the pool; a connection that is still being opened is closed when it is open. */
function throwAway(runner: QueryRunner): void {
  void runner.connect().then(
    (connection: { destroy(): void }) => {
      connection.destroy();
    },
    () => undefined,
  );
}
