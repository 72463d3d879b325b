import { checkAcquire } from './arguments.js';
import { bounded } from './bounded.js';
import { LockLost, LockTimeout } from './errors.js';
import { type GrantFacts, HeldLease } from './held-lease.js';
import { type AcquireOptions, type Lease, Lock } from './lock.js';

/** Runs one statement on one connection and resolves with its rows. */
export type Query = (sql: string, parameters: readonly unknown[]) => Promise<readonly object[]>;

/** A connection for one holder alone: the lock ends with it. */
export interface DedicatedConnection {
  readonly query: Query;
  /** Aborted when the connection breaks. */
  readonly broken: AbortSignal;
  close(): void;
}

/** Acquires the server's named lock on this connection; resolves with the milliseconds that it waited. */
export async function takeNamedLock(query: Query, name: string, waitMs: number): Promise<number> {
  const started = performance.now();
  const [answer] = await query('SELECT GET_LOCK(?, ?) AS got', [name, waitMs / 1000]);
  const waitedMs = performance.now() - started;
  // 0 is a timeout, NULL an error such as a killed wait: in both cases the lock was not acquired.
  if (Number((answer as { got: unknown } | undefined)?.got) !== 1) throw new LockTimeout(waitedMs);
  return waitedMs;
}

/** True when the connection had the lock until now. */
export async function releaseNamedLock(query: Query, name: string): Promise<boolean> {
  const [answer] = await query('SELECT RELEASE_LOCK(?) AS freed', [name]);
  return Number((answer as { freed: unknown } | undefined)?.freed) === 1;
}

/** Longer than a command takes on a healthy server: opening a connection is part of it. */
const COMMAND_TIMEOUT_MS = 2000;
const LONGEST_NAME = 64;

/**
 * MySQL's GET_LOCK. It has no lease in the server: the server frees the lock when the connection ends, so a stopped holder
 * keeps it as long as its connection is open. The holder itself enforces a `leaseMs`: it closes its connection when the
 * time is over. Each holder and each waiter needs a connection.
 */
export class MysqlNamedLock extends Lock {
  constructor(
    private readonly connect: () => Promise<DedicatedConnection>,
    private readonly prefix = 'lock:',
  ) {
    super();
  }

  async acquire(key: string, options: AcquireOptions): Promise<Lease> {
    checkAcquire(key, options);
    const { waitMs, signal, leaseMs = Infinity } = options;
    const name = `${this.prefix}${key}`;
    if (name.length > LONGEST_NAME) {
      throw new RangeError(`key must have at most ${LONGEST_NAME - this.prefix.length} characters.`);
    }
    signal?.throwIfAborted();
    const started = performance.now();
    const giveUpAt = started + waitMs;
    const connecting = this.connect();
    try {
      const connection = await bounded(connecting, giveUpAt + COMMAND_TIMEOUT_MS, signal);
      const left = Math.max(0, giveUpAt - performance.now());
      const taking = takeNamedLock(connection.query, name, left);
      await bounded(taking, performance.now() + left + COMMAND_TIMEOUT_MS, signal);
      if (connection.broken.aborted) throw new LockLost();
      const now = performance.now();
      return lease({ key, attempts: 1, waitedMs: now - started, deadline: now + leaseMs }, name, connection);
    } catch (error) {
      // Closing the connection ends the wait in the server. The connection may still be opening.
      void connecting.then(
        (connection) => {
          connection.close();
        },
        () => undefined,
      );
      throw error;
    }
  }
}

function lease(facts: GrantFacts, name: string, connection: DedicatedConnection): Lease {
  const close = () => {
    connection.close();
  };
  const held = new HeldLease(
    facts,
    async () => {
      try {
        return await bounded(
          releaseNamedLock(connection.query, name),
          performance.now() + COMMAND_TIMEOUT_MS,
        );
      } finally {
        close();
      }
    },
    close,
  );
  connection.broken.addEventListener('abort', () => {
    held.lose();
  });
  return held;
}
