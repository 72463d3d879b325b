import { Busy, Conflict, EngineUnavailable, LockstockError } from '../errors.js';
import { LockTimeout } from '../locks/errors.js';

/** Errors are distinguished by number, never by message: messages differ between versions and languages. */
export const DUPLICATE_ENTRY = 1062;
export const LOCK_WAIT_TIMEOUT = 1205;
export const DEADLOCK = 1213;
/** MariaDB with innodb_snapshot_isolation: the row changed after the snapshot was taken. */
const RECORD_CHANGED = 1020;
/** A replica that was promoted and demoted again, or an operator's switch: no write is possible. */
const READ_ONLY = 1290;
/** The procedure is missing, the account may not call it, or the account whose rights it has was dropped: it did not begin. */
const NOT_CALLABLE: readonly number[] = [1305, 1370, 1449];
/** MySQL's group replication has refused the transaction while it was being committed. */
const ROLLED_BACK_DURING_COMMIT = 3101;
const TOO_MANY_CONNECTIONS = [1040, 1203];
const SERVER_GOING = [1053, 1927, 3169, 4031];
const CONNECTION_LOST =
  /^(PROTOCOL_|ECONN|EPIPE|ETIMEDOUT|EHOSTUNREACH|ENOTFOUND|EAI_AGAIN|ER_SERVER_SHUTDOWN)/;

function field(error: unknown, name: 'errno' | 'code'): unknown {
  return error instanceof Error && name in error
    ? (error as unknown as Record<string, unknown>)[name]
    : undefined;
}

export function mysqlErrno(error: unknown): number | undefined {
  const errno = field(error, 'errno');
  return typeof errno === 'number' && errno > 0 ? errno : undefined;
}

/** True when the connection cannot be used any more. */
export function isConnectionLost(error: unknown): boolean {
  const code = field(error, 'code');
  if (typeof code === 'string' && CONNECTION_LOST.test(code)) return true;
  const errno = mysqlErrno(error);
  if (errno !== undefined) return SERVER_GOING.includes(errno);
  // mysql2 says this without a code when a query meets a connection that has just been closed.
  return error instanceof Error && /closed state|Connection lost/i.test(error.message);
}

/**
 * True for the errors of a COMMIT after which nothing is committed. After any other error the outcome is unknown: KILL QUERY, for
 * example, ends a COMMIT before it has begun, or while it only waits for a replica.
 */
export function isRolledBack(error: unknown): boolean {
  return [DEADLOCK, READ_ONLY, ROLLED_BACK_DURING_COMMIT].includes(mysqlErrno(error) ?? 0);
}

/**
 * The same for a statement that begins a transaction and commits it, such as a CALL: these errors come from what it does
 * before its COMMIT.
 */
export function isRolledBackByCall(error: unknown): boolean {
  return (
    isRolledBack(error) ||
    [DUPLICATE_ENTRY, LOCK_WAIT_TIMEOUT, RECORD_CHANGED, ...NOT_CALLABLE].includes(mysqlErrno(error) ?? 0)
  );
}

/** The error that the client sees. Errors that are not the database's are returned unchanged. */
export function translate(error: unknown, waitedMs = 0): unknown {
  if (error instanceof LockstockError) return error;
  const errno = mysqlErrno(error);
  if (errno === LOCK_WAIT_TIMEOUT) return new LockTimeout(waitedMs);
  if (errno === DEADLOCK || errno === RECORD_CHANGED || errno === ROLLED_BACK_DURING_COMMIT)
    return new Conflict();
  if (errno !== undefined && TOO_MANY_CONNECTIONS.includes(errno)) {
    return new Busy(
      'The database server accepts no more connections: its limit is reached. Nothing was changed. Retry after 1 s.',
    );
  }
  if (errno === READ_ONLY || NOT_CALLABLE.includes(errno ?? 0)) return new EngineUnavailable('database');
  if (isConnectionLost(error)) return new EngineUnavailable('database');
  return error;
}
