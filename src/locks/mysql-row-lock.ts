import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { LockTimeout } from './errors.js';
import { LocalLock } from './local-lock.js';
import { type AcquireOptions, type Lease, type Lock } from './lock.js';

/** Runs one statement by itself and answers how many rows it changed. A duplicate key counts as none. */
export type ChangeRows = (sql: string, parameters: readonly unknown[]) => Promise<number>;

export interface MysqlRowLockOptions {
  /** How long a holder may take before others may take the row over. */
  readonly leaseMs: number;
}

const LONGEST_PAUSE_MS = 20;

/**
 * A row is the lock: who inserts it holds it, who deletes it lets go. The server's clock decides when a row is
 * stale, because the clocks of its clients differ. Like every lease it cannot stop a holder who sleeps through it.
 */
export class MysqlRowLock implements Lock {
  /** Those who wait in this process stand in line behind one that asks the server: fewer to ask, and first come first. */
  private readonly line = new LocalLock();

  constructor(
    private readonly change: ChangeRows,
    private readonly options: MysqlRowLockOptions,
  ) {}

  async acquire(key: string, options: AcquireOptions): Promise<Lease> {
    const place = await this.line.acquire(key, options);
    try {
      const lease = await this.contend(key, { ...options, waitMs: options.waitMs - place.waitedMs });
      return {
        ...lease,
        waitedMs: lease.waitedMs + place.waitedMs,
        release: () => lease.release().finally(() => place.release()),
      };
    } catch (error) {
      await place.release();
      throw error;
    }
  }

  private async contend(key: string, { waitMs, signal }: AcquireOptions): Promise<Lease> {
    const owner = randomUUID();
    const started = performance.now();
    for (let attempts = 1; ; attempts += 1) {
      signal?.throwIfAborted();
      // Read before the command is sent: a clock read after the answer would promise too much.
      const asked = performance.now();
      if (await this.tryOnce(key, owner)) return this.lease(key, owner, { attempts, asked, started });
      const waited = performance.now() - started;
      if (waited >= waitMs) throw new LockTimeout(waited);
      await sleep(Math.min(waitMs - waited, Math.random() * LONGEST_PAUSE_MS));
    }
  }

  private async tryOnce(key: string, owner: string): Promise<boolean> {
    const lease = this.options.leaseMs * 1000;
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

  private lease(
    key: string,
    owner: string,
    { attempts, asked, started }: { attempts: number; asked: number; started: number },
  ): Lease {
    const lost = new AbortController();
    const left = asked + this.options.leaseMs - performance.now();
    const timer = setTimeout(() => {
      lost.abort();
    }, left);
    return {
      attempts,
      waitedMs: performance.now() - started,
      signal: lost.signal,
      release: async () => {
        clearTimeout(timer);
        return (await this.change('DELETE FROM lock_rows WHERE name = ? AND owner = ?', [key, owner])) === 1;
      },
    };
  }
}
