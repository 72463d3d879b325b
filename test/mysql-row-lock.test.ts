import { setTimeout as sleep } from 'node:timers/promises';
import { createPool, type Pool, type ResultSetHeader } from 'mysql2/promise';
import { LockTimeout } from '../src/locks/errors.js';
import { MysqlRowLock } from '../src/locks/mysql-row-lock.js';
import { LAB_ACCOUNT } from '../src/lab/engines/mariadb.js';
import { eventually } from './support/eventually.js';
import { servers, TestShop } from './support/test-shop.js';

let shop: TestShop;
let pool: Pool;
beforeAll(async () => {
  shop = await TestShop.open({ instances: 1 });
  const { databasePort: port, secrets } = servers;
  pool = createPool({
    host: '127.0.0.1',
    port,
    user: LAB_ACCOUNT,
    password: secrets.labPassword,
    database: shop.database,
  });
});
afterAll(async () => {
  await pool.end();
  await shop.close();
});

/** A separate lock object, as in another process. */
const newLock = (leaseMs: number) =>
  new MysqlRowLock(
    async (sql, parameters) => {
      try {
        const [result] = await pool.query<ResultSetHeader>(sql, [...parameters]);
        return result.affectedRows;
      } catch (error) {
        if ((error as { errno?: number }).errno === 1062) return 0;
        throw error;
      }
    },
    { leaseMs },
  );

async function rows(): Promise<number> {
  const [[row]] = (await pool.query('SELECT COUNT(*) AS n FROM lock_rows')) as unknown as [[{ n: number }]];
  return row.n;
}

test('three processes: one holder at a time, and no row is left', async () => {
  const locks = [newLock(5000), newLock(5000), newLock(5000)];
  let inside = 0;
  let most = 0;
  await Promise.all(
    Array.from({ length: 60 }, (_, i) =>
      (locks[i % 3] as MysqlRowLock).using('contended', { waitMs: 30_000 }, async () => {
        most = Math.max(most, (inside += 1));
        await sleep(1);
        inside -= 1;
      }),
    ),
  );
  expect(most).toBe(1);
  expect(await rows()).toBe(0);
});

test('a wait ends when it times out or is aborted, and leaves no row', async () => {
  const held = await newLock(5000).acquire('held', { waitMs: 1000 });
  await expect(newLock(5000).acquire('held', { waitMs: 60 })).rejects.toBeInstanceOf(LockTimeout);
  const caller = new AbortController();
  const waiting = newLock(5000).acquire('held', { waitMs: 5000, signal: caller.signal });
  caller.abort(new Error('gone home'));
  await expect(waiting).rejects.toThrow('gone home');
  expect(await held.release()).toBe(true);
  expect(await rows()).toBe(0);
});

test('a stale row is taken over by exactly one waiter, and its former owner cannot delete it', async () => {
  const dead = await newLock(100).acquire('stale', { waitMs: 1000 });
  await new Promise((resolve) => {
    dead.signal.addEventListener('abort', resolve);
  });
  const takers = await Promise.allSettled(
    Array.from({ length: 5 }, () => newLock(5000).acquire('stale', { waitMs: 500 })),
  );
  const won = takers.filter((taker) => taker.status === 'fulfilled');
  expect(won).toHaveLength(1);
  expect(await dead.release()).toBe(false);
  expect(await won[0]?.value.release()).toBe(true);
});

test('the signal is aborted before another client can take over the row', async () => {
  const lease = await newLock(150).acquire('short', { waitMs: 1000 });
  const lost = new Promise<number>((resolve) => {
    lease.signal.addEventListener('abort', () => {
      resolve(performance.now());
    });
  });
  const next = newLock(5000)
    .acquire('short', { waitMs: 5000 })
    .then((taken) => ({ taken, at: performance.now() }));
  const { taken, at } = await next;
  expect(await lost).toBeLessThanOrEqual(at);
  await taken.release();
});

test('sessions with different time zones do not both hold the lock', async () => {
  const inZone = async (zone: string): Promise<MysqlRowLock> => {
    const connection = await pool.getConnection();
    await connection.query('SET time_zone = ?', [zone]);
    const change = async (sql: string, parameters: readonly unknown[]) => {
      try {
        const [result] = await connection.query<ResultSetHeader>(sql, [...parameters]);
        return result.affectedRows;
      } catch (error) {
        if ((error as { errno?: number }).errno === 1062) return 0;
        throw error;
      }
    };
    closers.push(() => {
      connection.destroy();
    });
    return new MysqlRowLock(change, { leaseMs: 60_000 });
  };
  const closers: (() => void)[] = [];
  const [west, east] = [await inZone('-08:00'), await inZone('+09:00')];
  const held = await west.acquire('zones', { waitMs: 1000 });
  await expect(east.acquire('zones', { waitMs: 50 })).rejects.toBeInstanceOf(LockTimeout);
  expect(await held.release()).toBe(true);
  for (const close of closers) close();
});

test('a release whose statement fails does not throw, and is retried until the row is deleted', async () => {
  const failures = { left: 2 };
  const lock = new MysqlRowLock(
    async (sql, parameters) => {
      if (sql.startsWith('DELETE') && failures.left > 0) {
        failures.left -= 1;
        throw new Error('connection lost');
      }
      const [result] = await pool.query<ResultSetHeader>(sql, [...parameters]);
      return result.affectedRows;
    },
    { leaseMs: 60_000 },
  );
  expect(await lock.using('failing release', { waitMs: 1000 }, () => Promise.resolve('sold'))).toBe('sold');
  await eventually('the row is gone', async () => (await rows()) === 0);
});
