import { Redis } from 'ioredis';
import { createConnection, createPool, type ResultSetHeader } from 'mysql2/promise';
import {
  type DedicatedConnection,
  FairRedisLock,
  type Lock,
  MysqlNamedLock,
  MysqlRowLock,
  QuorumRedisLock,
  ReadWriteRedisLock,
  RedisLock,
  RedlockAdapter,
  ReentrantRedisLock,
} from '../../src/locks/index.js';
import { etcdKind, zookeeperKind } from './coordination-kinds.js';
import { leftovers } from './leftovers.js';

/** The addresses of the servers: plain data, so that they can be passed to a child process. */
export interface LockPlaces {
  readonly redisUrl: string;
  /** Independent masters. */
  readonly masterUrls: readonly string[];
  readonly database: {
    readonly host: string;
    readonly port: number;
    readonly user: string;
    readonly password: string;
    readonly database: string;
  };
  readonly prefix: string;
  readonly etcdUrl?: string | undefined;
  readonly zookeeperUrl?: string | undefined;
}

export interface OpenLock {
  readonly lock: Lock;
  /** What the lock has left behind in its engine: keys or rows that should not be there. */
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
  /** Acquisitions that three processes fight over. */
  readonly contended: number;
  /** Cycles that must leave nothing behind. */
  readonly cycles: number;
}

/** Short, so that a test can see a lease end. Processes that only compete get a longer one from their parent. */
export const LEASE_MS = Number(process.env['TEST_LEASE_MS'] ?? 800);

function connect(url: string): Redis {
  const client = new Redis(url, { commandTimeout: 2000, maxRetriesPerRequest: 2 });
  client.on('error', () => undefined);
  return client;
}

function redisKind(
  name: string,
  make: (client: Redis, prefix: string) => Lock & { close(): void },
): LockKind {
  return {
    name,
    leaseMs: LEASE_MS,
    takesLease: true,
    tokens: true,
    contended: 1000,
    cycles: 5000,
    open: ({ redisUrl, prefix: base }) => {
      const client = connect(redisUrl);
      const prefix = `${base}${name}:`;
      const lock = make(client, prefix);
      return {
        lock,
        leftBehind: () => leftovers(client, prefix),
        close: async () => {
          lock.close();
          await client.quit().catch(() => undefined);
        },
      };
    },
  };
}

/** On five masters that write to the disk before they answer: each grant and each release waits for three disks. */
function mastersKind(
  name: string,
  counts: Pick<LockKind, 'contended' | 'cycles'>,
  make: (masters: readonly Redis[], prefix: string) => Lock,
): LockKind {
  return {
    name,
    leaseMs: LEASE_MS,
    takesLease: true,
    tokens: false,
    ...counts,
    open: ({ masterUrls, prefix: base }) => {
      const masters = masterUrls.map(connect);
      const prefix = `${base}${name}:`;
      return {
        lock: make(masters, prefix),
        leftBehind: async () =>
          (await Promise.all(masters.map((master) => master.keys(`${prefix}*`)))).flat(),
        close: async () => {
          await Promise.all(masters.map((master) => master.quit().catch(() => undefined)));
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
  contended: 1000,
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
  contended: 1000,
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
  // These two poll: the lock is free for tens of milliseconds between two holders, so a thousand would take minutes.
  mastersKind(
    'redis quorum',
    { contended: 300, cycles: 1000 },
    (masters, prefix) => new QuorumRedisLock(masters, { prefix, watchdogMs: LEASE_MS }),
  ),
  mastersKind(
    'redlock package',
    { contended: 90, cycles: 500 },
    (masters, prefix) => new RedlockAdapter(masters, { prefix, watchdogMs: LEASE_MS }),
  ),
  mysqlRow,
  mysqlNamed,
  etcdKind,
  zookeeperKind,
];
