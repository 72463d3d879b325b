import { LockTimeout } from './errors.js';
import { HeldLease } from './held-lease.js';
import { type AcquireOptions, type Lease, Lock } from './lock.js';

/** Runs one statement on one connection and answers its rows. */
export type Query = (sql: string, parameters: readonly unknown[]) => Promise<readonly object[]>;

/** A connection for one holder alone: the lock lives and dies with it. */
export interface DedicatedConnection {
  readonly query: Query;
  /** Aborted when the connection breaks. */
  readonly broken: AbortSignal;
  close(): void;
}

/** Takes the server's named lock on this connection; answers how long that took. */
export async function takeNamedLock(query: Query, name: string, waitMs: number): Promise<number> {
  const started = performance.now();
  const [answer] = await query('SELECT GET_LOCK(?, ?) AS got', [name, waitMs / 1000]);
  const waitedMs = performance.now() - started;
  // 0 is a timeout, NULL an error such as a killed wait: in both the lock is not ours.
  if (Number((answer as { got: unknown } | undefined)?.got) !== 1) throw new LockTimeout(waitedMs);
  return waitedMs;
}

/** True when the connection had the lock until now. */
export async function releaseNamedLock(query: Query, name: string): Promise<boolean> {
  const [answer] = await query('SELECT RELEASE_LOCK(?) AS freed', [name]);
  return Number((answer as { freed: unknown } | undefined)?.freed) === 1;
}

/**
 * MySQL's GET_LOCK. It has no lease: the server frees it when the connection ends, and a holder that is stopped
 * keeps it as long as its connection lives. Each holder and each waiter costs a connection.
 */
export class MysqlNamedLock extends Lock {
  constructor(
    private readonly connect: () => Promise<DedicatedConnection>,
    private readonly prefix = 'lock:',
  ) {
    super();
  }

  async acquire(key: string, { waitMs, signal }: AcquireOptions): Promise<Lease> {
    signal?.throwIfAborted();
    const started = performance.now();
    const name = `${this.prefix}${key}`;
    const connection = await this.connect();
    const close = () => {
      connection.close();
    };
    // The server cannot be asked to stop waiting, but it notices when the connection is gone.
    signal?.addEventListener('abort', close);
    try {
      await takeNamedLock(connection.query, name, Math.max(0, waitMs - (performance.now() - started)));
      signal?.throwIfAborted();
    } catch (error) {
      close();
      signal?.throwIfAborted();
      throw error;
    } finally {
      signal?.removeEventListener('abort', close);
    }
    const waitedMs = performance.now() - started;
    const lease = new HeldLease({ key, attempts: 1, waitedMs, deadline: Infinity }, async () => {
      const freed = await releaseNamedLock(connection.query, name).catch(() => false);
      close();
      return freed;
    });
    connection.broken.addEventListener('abort', () => {
      lease.lose();
    });
    return lease;
  }
}
