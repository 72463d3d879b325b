import { createHash } from 'node:crypto';
import { createConnection, createPool, type ResultSetHeader } from 'mysql2/promise';
import { type DedicatedConnection, MysqlNamedLock, MysqlRowLock } from '../../../src/locks/index.js';
import { type Key, type Settings } from '../plan/plan.js';
import { type FuzzKind } from './kind.js';
import { type FuzzPlaces } from './places.js';

const DUPLICATE_KEY = 1062;
const LONGEST_NAME = 64;

/** Keys have no prefix in these engines. A name that is too long fails in every statement. */
export function mysqlName({ prefix }: Pick<FuzzPlaces, 'prefix'>, key: Key): string {
  const run = createHash('sha1').update(prefix).digest('hex').slice(0, 16);
  return key === 'broken' ? `${run}:`.padEnd(LONGEST_NAME + 1, 'x') : `${run}:${key}`;
}

const common = { engine: 'mysql', tokens: false } as const;

const row: FuzzKind = {
  ...common,
  name: 'mysql row',
  connectionIsLease: false,
  features: { watchdogMs: [200, 400], leases: true, brokenKey: true },
  open: async (places, settings) => {
    const pool = createPool({ ...places.database, connectionLimit: 4 });
    const timeout = timeoutOf(settings);
    const change = async (sql: string, parameters: readonly unknown[]) => {
      try {
        const [result] = await pool.query<ResultSetHeader>({ sql, values: [...parameters], ...timeout });
        return result.affectedRows;
      } catch (error) {
        if ((error as { errno?: number }).errno === DUPLICATE_KEY) return 0;
        throw error;
      }
    };
    await pool.query('SELECT 1');
    const lock = new MysqlRowLock(change, { leaseMs: settings.watchdogMs });
    return {
      lock: () => lock,
      name: (key) => mysqlName(places, key),
      close: () => pool.end(),
    };
  },
};

const named: FuzzKind = {
  ...common,
  name: 'mysql GET_LOCK',
  connectionIsLease: true,
  features: { watchdogMs: [300], leases: false, brokenKey: true },
  open: (places, settings) => {
    const lock = new MysqlNamedLock(() => dedicated(places, settings), '');
    return Promise.resolve({
      lock: () => lock,
      name: (key: Key) => mysqlName(places, key),
      close: () => Promise.resolve(),
    });
  },
};

async function dedicated(places: FuzzPlaces, settings: Settings): Promise<DedicatedConnection> {
  const connection = await createConnection({ ...places.database, connectTimeout: 1000 });
  const broken = new AbortController();
  connection.on('error', () => {
    broken.abort();
  });
  return {
    query: async (sql, parameters) => {
      const waitMs = sql.includes('GET_LOCK') ? 1000 * Number(parameters[1]) : 0;
      const query = { sql, values: [...parameters], ...timeoutOf(settings, waitMs) };
      return (await connection.query(query))[0] as object[];
    },
    broken: broken.signal,
    close: () => {
      connection.destroy();
    },
  };
}

function timeoutOf({ commandTimeoutMs }: Settings, waitMs = 0): { readonly timeout?: number } {
  return commandTimeoutMs === undefined ? {} : { timeout: commandTimeoutMs + waitMs };
}

export const MYSQL_KINDS: readonly FuzzKind[] = [row, named];
