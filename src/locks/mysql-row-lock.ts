import { randomUUID } from 'node:crypto';
import { checkAcquire, checkDurations } from './arguments.js';
import { bounded } from './bounded.js';
import { LockLost, LockTimeout } from './errors.js';
import { HeldLease } from './held-lease.js';
import { LocalLine } from './local-line.js';
import { type AcquireOptions, type Lease, Lock } from './lock.js';
import { persist } from './persist.js';
import { sleep } from './sleep.js';

/** Runs one statement as its own transaction and resolves with the number of rows it changed; 0 for a duplicate key. */
export type ChangeRows = (sql: string, parameters: readonly unknown[]) => Promise<number>;

/** The table that the lock needs. `expires_at` is in UTC. A key is as long as `name` allows. */
export const LOCK_ROWS_TABLE = `
  CREATE TABLE IF NOT EXISTS lock_rows (
    name       VARCHAR(64) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
    owner      CHAR(36) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
    expires_at DATETIME(3) NOT NULL,
    PRIMARY KEY (name)
  ) ENGINE = InnoDB`;

export interface MysqlRowLockOptions {
  /** After this time another client may take over the row. */
  readonly leaseMs: number;
  /** How long a statement may take at most. */
  readonly commandTimeoutMs?: number;
}

const LONGEST_PAUSE_MS = 20;
/** Concurrent statements on one lock row can deadlock inside InnoDB, which then rolls one of them back. */
const DEADLOCK = 1213;
/** Keys that the column `name` stores and compares exactly: MySQL ignores trailing blanks. */
const KEY = /^[\x20-\x7e]{0,63}[\x21-\x7e]$/;

/**
 * A row is the lock: the INSERT acquires it, the DELETE releases it. The server's UTC clock decides when a row has
 * expired, because the clocks of clients and the time zones of sessions differ. As with every lease, a holder that is
 * paused for longer than its lease is not stopped.
 */
export class MysqlRowLock extends Lock {
  /** One caller of this process polls the server; the others queue here. Fewer statements, first come, first served. */
  private readonly line = new LocalLine();
  private readonly leaseMs: number;
  private readonly commandTimeoutMs: number;

  constructor(
    private readonly change: ChangeRows,
    { leaseMs, commandTimeoutMs = 2000 }: MysqlRowLockOptions,
  ) {
    super();
    checkDurations({ leaseMs, commandTimeoutMs });
    this.leaseMs = leaseMs;
    this.commandTimeoutMs = commandTimeoutMs;
  }

  async acquire(key: string, options: AcquireOptions): Promise<Lease> {
    checkAcquire(key, options);
    if (!KEY.test(key)) {
      throw new RangeError('key must have 1 to 64 printable ASCII characters and no blank at its end.');
    }
    const started = performance.now();
    const turn = await this.line.enter(key, options);
    const leave = () => {
      turn.leave();
    };
    const owner = randomUUID();
    const leaseMs = options.leaseMs ?? this.leaseMs;
    try {
      const { asked, attempts } = await this.contend(key, owner, started, { ...options, leaseMs });
      return new HeldLease(
        { key, attempts, waitedMs: performance.now() - started, deadline: asked + leaseMs },
        () => this.release(key, owner, leaseMs).finally(leave),
        leave,
      );
    } catch (error) {
      leave();
      throw error;
    }
  }

  private async contend(
    key: string,
    owner: string,
    started: number,
    { waitMs, signal, leaseMs }: AcquireOptions & { readonly leaseMs: number },
  ) {
    const giveUpAt = started + waitMs;
    for (let attempts = 1; ; attempts += 1) {
      signal?.throwIfAborted();
      // Read before the command is sent: the lease begins at the server no earlier than this.
      const asked = performance.now();
      const answer = this.tryOnce(key, owner, leaseMs);
      try {
        const answerBy = Math.max(giveUpAt, asked) + this.commandTimeoutMs;
        const taken = await bounded(answer, answerBy, signal);
        signal?.throwIfAborted();
        if (taken && performance.now() >= asked + leaseMs) throw new LockLost();
        if (taken) return { asked, attempts };
      } catch (error) {
        // The row may exist although the answer was lost, and a late INSERT may come after the DELETE.
        const withdraw = () => this.release(key, owner, leaseMs);
        void withdraw();
        answer.then(withdraw, () => undefined);
        throw error;
      }
      const waited = performance.now() - started;
      if (waited >= waitMs) throw new LockTimeout(waited);
      await sleep(Math.min(waitMs - waited, Math.random() * LONGEST_PAUSE_MS), signal);
    }
  }

  private async tryOnce(key: string, owner: string, leaseMs: number): Promise<boolean> {
    const lease = leaseMs * 1000;
    try {
      const inserted = await this.change(
        `INSERT INTO lock_rows (name, owner, expires_at)
         VALUES (?, ?, UTC_TIMESTAMP(3) + INTERVAL ? MICROSECOND)`,
        [key, owner, lease],
      );
      if (inserted === 1) return true;
      // Only one client can take over an expired row: the first UPDATE changes expires_at, so the second finds no row.
      const takenOver = await this.change(
        `UPDATE lock_rows SET owner = ?, expires_at = UTC_TIMESTAMP(3) + INTERVAL ? MICROSECOND
         WHERE name = ? AND expires_at < UTC_TIMESTAMP(3)`,
        [owner, lease, key],
      );
      return takenOver === 1;
    } catch (error) {
      if (isDeadlock(error)) return false;
      throw error;
    }
  }

  /** Never rejects; a DELETE that fails is repeated in the background until the lease would have ended. */
  private async release(key: string, owner: string, leaseMs: number): Promise<boolean> {
    const free = () => this.free(key, owner);
    try {
      return await bounded(free(), performance.now() + this.commandTimeoutMs);
    } catch {
      void persist(free, leaseMs, this.commandTimeoutMs);
      return false;
    }
  }

  private async free(key: string, owner: string): Promise<boolean> {
    for (;;) {
      try {
        return (await this.change('DELETE FROM lock_rows WHERE name = ? AND owner = ?', [key, owner])) === 1;
      } catch (error) {
        if (!isDeadlock(error)) throw error;
      }
    }
  }
}

function isDeadlock(error: unknown): boolean {
  return error instanceof Error && 'errno' in error && error.errno === DEADLOCK;
}
