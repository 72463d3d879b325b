import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { LockTimeout } from './errors.js';
import { HeldLease } from './held-lease.js';
import { LocalLine } from './local-line.js';
import { type AcquireOptions, type Lease, Lock } from './lock.js';

/** Runs one statement by itself and answers how many rows it changed. A duplicate key counts as none. */
export type ChangeRows = (sql: string, parameters: readonly unknown[]) => Promise<number>;

/** The table that the lock needs. A key is as long as `name` allows. */
export const LOCK_ROWS_TABLE = `
  CREATE TABLE IF NOT EXISTS lock_rows (
    name       VARCHAR(64) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
    owner      CHAR(36) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
    expires_at DATETIME(3) NOT NULL,
    PRIMARY KEY (name)
  ) ENGINE = InnoDB`;

export interface MysqlRowLockOptions {
  /** How long a holder may take before others may take the row over. */
  readonly leaseMs: number;
}

const LONGEST_PAUSE_MS = 20;
/** Inserting, taking over and deleting one row at once can deadlock inside InnoDB, which then undoes one of them. */
const DEADLOCK = 1213;

/**
 * A row is the lock: who inserts it holds it, who deletes it lets go. The server's clock decides when a row is
 * stale, because the clocks of its clients differ. Like every lease it cannot stop a holder who sleeps through it.
 */
export class MysqlRowLock extends Lock {
  /** Those who wait in this process stand in line behind one that asks the server: fewer to ask, and first come first. */
  private readonly line = new LocalLine();

  constructor(
    private readonly change: ChangeRows,
    private readonly options: MysqlRowLockOptions,
  ) {
    super();
  }

  async acquire(key: string, options: AcquireOptions): Promise<Lease> {
    const started = performance.now();
    const leave = await this.line.enter(key, options);
    const owner = randomUUID();
    try {
      const { asked, attempts } = await this.contend(key, owner, started, options);
      const deadline = asked + (options.leaseMs ?? this.options.leaseMs);
      return new HeldLease(
        { key, attempts, waitedMs: performance.now() - started, deadline },
        () => this.free(key, owner).finally(leave),
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
    { waitMs, signal, leaseMs }: AcquireOptions,
  ) {
    for (let attempts = 1; ; attempts += 1) {
      signal?.throwIfAborted();
      // Read before the command is sent: a clock read after the answer would promise too much.
      const asked = performance.now();
      const taken = await this.tryOnce(key, owner, leaseMs ?? this.options.leaseMs).catch(
        async (error: unknown) => {
          if (isDeadlock(error)) return false;
          // The row may be there although the answer is not.
          await this.free(key, owner).catch(() => undefined);
          throw error;
        },
      );
      if (taken) return { asked, attempts };
      const waited = performance.now() - started;
      if (waited >= waitMs) throw new LockTimeout(waited);
      await sleep(Math.min(waitMs - waited, Math.random() * LONGEST_PAUSE_MS));
    }
  }

  private async tryOnce(key: string, owner: string, leaseMs: number): Promise<boolean> {
    const lease = leaseMs * 1000;
    const inserted = await this.change(
      `INSERT INTO lock_rows (name, owner, expires_at)
       VALUES (?, ?, NOW(3) + INTERVAL ? MICROSECOND)`,
      [key, owner, lease],
    );
    if (inserted === 1) return true;
    // A stale row goes to one taker only: the first UPDATE moves expires_at, so the second finds nothing.
    const takenOver = await this.change(
      `UPDATE lock_rows SET owner = ?, expires_at = NOW(3) + INTERVAL ? MICROSECOND
       WHERE name = ? AND expires_at < NOW(3)`,
      [owner, lease, key],
    );
    return takenOver === 1;
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
