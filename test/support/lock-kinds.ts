import { Redis } from 'ioredis';
import { createConnection, createPool, type ResultSetHeader } from 'mysql2/promise';
import {
  type DedicatedConnection,
  FairRedisLock,
  type Lock,
  MysqlNamedLock,
  MysqlRowLock,
  ReadWriteRedisLock,
  RedisLock,
  ReentrantRedisLock,
} from '../../src/locks/index.js';

/** Where the locks live: plain data, so that a child process can be told. */
export interface LockPlaces {
  readonly redisUrl: string;
  readonly database: {
    readonly host: string;
    readonly port: number;
    readonly user: string;
    readonly password: string;
    readonly database: string;
  };
  readonly prefix: string;
}

export interface OpenLock {
  readonly lock: Lock;
  /** What the lock has left behind in its engine: keys or rows, without the counters of tokens. */
  leftBehind(): Promise<string[]>;
  close(): Promise<void>;
}

export interface LockKind {
  readonly name: string;
  readonly open: (places: LockPlaces) => OpenLock;
  /** The lease that a dead holder leaves, and that a watchdog renews. Infinity: the connection is the lease. */
  readonly leaseMs: number;
  /** Does it take a lease of the caller's choice? */
  readonly takesLease: boolean;
  readonly tokens: boolean;
  readonly cycles: number;
}

/** Short, so that a test can see a lease end. */
export const LEASE_MS = 800;

function redisKind(
  name: string,
  make: (client: Redis, prefix: string) => Lock & { close(): void },
): LockKind {
  return {
    name,
    leaseMs: LEASE_MS,
    takesLease: true,
    tokens: true,
    cycles: 5000,
    open: ({ redisUrl, prefix: base }) => {
      const client = new Redis(redisUrl, { commandTimeout: 2000, maxRetriesPerRequest: 2 });
      client.on('error', () => undefined);
      const prefix = `${base}${name}:`;
      const lock = make(client, prefix);
      return {
        lock,
        leftBehind: async () => (await client.keys(`${prefix}*`)).filter((key) => !key.endsWith(':fence')),
        close: async () => {
          lock.close();
          await client.quit().catch(() => undefined);
        },
      };
    },
  };
}

const mysqlRow: LockKind = {
  name: 'mysql row',
  leaseMs: LEASE_MS,
  takesLease: true,
  tokens: false,
  cycles: 1000,
  open: ({ database }) => {
    const pool = createPool({ ...database, connectionLimit: 4 });
    const change = async (sql: string, parameters: readonly unknown[]) => {
      try {
        const [result] = await pool.query<ResultSetHeader>(sql, [...parameters]);
        return result.affectedRows;
      } catch (error) {
        if ((error as { errno?: number }).errno === 1062) return 0;
        throw error;
      }
    };
    return {
      lock: new MysqlRowLock(change, { leaseMs: LEASE_MS }),
      leftBehind: async () => {
        const [rows] = await pool.query('SELECT name FROM lock_rows');
        return (rows as { name: string }[]).map(({ name }) => name);
      },
      close: () => pool.end(),
    };
  },
};

const mysqlNamed: LockKind = {
  name: 'mysql GET_LOCK',
  leaseMs: Infinity,
  takesLease: false,
  tokens: false,
  cycles: 500,
  open: ({ database, prefix }) => {
    const connect = async (): Promise<DedicatedConnection> => {
      const connection = await createConnection(database);
      const broken = new AbortController();
      connection.on('error', () => {
        broken.abort();
      });
      return {
        query: async (sql, parameters) => (await connection.query(sql, [...parameters]))[0] as object[],
        broken: broken.signal,
        close: () => {
          connection.destroy();
        },
      };
    };
    return {
      lock: new MysqlNamedLock(connect, prefix.slice(-20)),
      leftBehind: async () => {
        const connection = await createConnection(database);
        const [rows] = await connection.query(
          "SELECT id FROM information_schema.processlist WHERE state = 'User lock' AND db = ?",
          [database.database],
        );
        await connection.end();
        return (rows as { id: number }[]).map(({ id }) => `waiting connection ${id}`);
      },
      close: () => Promise.resolve(),
    };
  },
};

export const LOCK_KINDS: readonly LockKind[] = [
  redisKind('redis', (client, prefix) => new RedisLock(client, { prefix, watchdogMs: LEASE_MS })),
  redisKind(
    'redis reentrant',
    (client, prefix) => new ReentrantRedisLock(client, { prefix, watchdogMs: LEASE_MS }),
  ),
  redisKind('redis fair', (client, prefix) => new FairRedisLock(client, { prefix, watchdogMs: LEASE_MS })),
  redisKind('redis write', (client, prefix) => {
    const both = new ReadWriteRedisLock(client, { prefix, watchdogMs: LEASE_MS });
    return Object.assign(both.write, {
      close: () => {
        both.close();
      },
    });
  }),
  mysqlRow,
  mysqlNamed,
];
