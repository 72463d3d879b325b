import { type Connection } from 'mysql2/promise';
import { type CheckpointName } from '../src/checkpoints/checkpoint.js';
import { TcpProxy } from '../src/lab/tcp-proxy.js';
import { labConnection } from '../src/lab/servers.js';
import { type Outcome } from './support/buyers.js';
import { eventually } from './support/eventually.js';
import { HeldBuyers } from './support/held-buyers.js';
import { isHere } from './support/optional-servers.js';
import { strategyNames } from './support/strategy-files.js';
import { servers } from './support/test-shop.js';

/** Not in the request of its buyer: a consumer writes the order later. */
const COMMITS_ELSEWHERE = ['redis-lua'];
const COMMITTING = strategyNames().filter((name) => isHere(name) && !COMMITS_ELSEWHERE.includes(name));
/** Specimens that release a lock, or write to Redis, by hand. */
const SPECIMENS = ['early-snapshot', 'setnx-no-expiry', 'setnx-then-expire', 'try-then-subscribe'];
const NAMED_LOCKS = ['named-lock', 'early-snapshot'];
const GOODS = 12;

const REDIS_STOCK = ['redis-watch', 'redis-decr', 'redis-lua'];

let buyers: HeldBuyers;
let wire: TcpProxy;
let mysql: Connection;
beforeAll(async () => {
  wire = await TcpProxy.to(servers.databasePort);
  buyers = await HeldBuyers.open({
    instances: 1,
    // The short wait also makes the deadline of a connection short.
    env: { LOCK_WAIT_MS: '1000', LOCK_LEASE_MS: '60000' },
    servers: { ...servers, databasePort: wire.port },
  });
  mysql = await labConnection(servers, buyers.shop.database);
});
afterAll(async () => {
  await mysql.end();
  await buyers.close();
  await wire.close();
});
beforeEach(async () => {
  for (let goodsId = 1; goodsId <= GOODS; goodsId += 1) await buyers.shop.reset(goodsId, 10);
});

/** The answer "sold", and a row in the ledger. Any other outcome is wrong for a purchase that was committed. */
async function expectSold(strategy: string, goodsId: number, outcome: Outcome): Promise<void> {
  const answer = outcome.kind === 'sold' ? 'sold' : outcome;
  const ledger = await buyers.shop.soldOrderIds(goodsId);
  expect({ strategy, answer, inLedger: ledger.length }).toEqual({ strategy, answer: 'sold', inLedger: 1 });
}

/** Holds a purchase of each strategy at the checkpoint, injects the fault, and lets all of them finish. */
async function breakAt(
  place: CheckpointName,
  strategies: readonly string[],
  fault: () => unknown,
  repair: () => unknown = () => undefined,
): Promise<void> {
  // The checkpoint must belong to the sale, not to a move of the stock to Redis.
  for (const [index, strategy] of strategies.entries())
    if (REDIS_STOCK.includes(strategy)) await buyers.shop.reset(index + 1, 10, 'redis');
  const held = await Promise.all(
    strategies.map((strategy, index) => buyers.hold(place, { strategy, goodsId: index + 1 })),
  );
  await fault();
  const outcomes = await Promise.all(held.map((buyer) => buyer.release()));
  await repair();
  for (const [index, strategy] of strategies.entries())
    await expectSold(strategy, index + 1, outcomes[index] as Outcome);
}

async function serviceConnections(): Promise<number[]> {
  const [rows] = await mysql.query(
    'SELECT id FROM information_schema.processlist WHERE user = ? AND db = ?',
    ['lockstock_service', buyers.shop.database],
  );
  return (rows as { id: number }[]).map(({ id }) => id);
}

async function killConnections(): Promise<void> {
  for (const id of await serviceConnections()) await mysql.query(`KILL ${id}`).catch(() => undefined);
  await eventually('the connections are closed', async () => (await serviceConnections()).length === 0);
}

function groups(names: readonly string[]): string[][] {
  const count = Math.ceil(names.length / GOODS);
  return Array.from({ length: count }, (_, group) => names.slice(group * GOODS, (group + 1) * GOODS));
}

describe('a sale that was committed is answered as sold', () => {
  test.each(groups([...COMMITTING, ...SPECIMENS]))(
    'although the database connection breaks after COMMIT: %s, …',
    async (...strategies) => {
      await breakAt('afterCommit', strategies, killConnections);
    },
  );

  test.each(groups([...COMMITTING, ...SPECIMENS]))(
    'although Redis executes no write after COMMIT: %s, …',
    async (...strategies) => {
      const redis = buyers.shop.redis();
      await breakAt(
        'afterCommit',
        strategies,
        () => redis.call('CLIENT', 'PAUSE', 60_000, 'WRITE'),
        () => redis.call('CLIENT', 'UNPAUSE'),
      );
      redis.disconnect();
    },
  );

  test.each(NAMED_LOCKS)('although there is no connection for RELEASE_LOCK: %s', async (strategy) => {
    await breakAt('beforeUnlock', [strategy], killConnections);
  });

  test.each(NAMED_LOCKS)('although RELEASE_LOCK is never answered: %s', async (strategy) => {
    await breakAt(
      'beforeUnlock',
      [strategy],
      () => {
        wire.set({ requests: 'drop', containing: 'RELEASE_LOCK' });
      },
      () => {
        wire.set({ requests: 'pass' });
      },
    );
    // The connection is closed, not reused: while it is open, the server keeps the lock.
    await eventually('the server has freed the lock', async () => {
      const [rows] = await mysql.query("SELECT IS_FREE_LOCK('lockstock:goods:1') AS free");
      return (rows as { free: number }[])[0]?.free === 1;
    });
  });

  test('although the lock row cannot be deleted: unique-row', async () => {
    await breakAt(
      'beforeUnlock',
      ['unique-row'],
      async () => {
        await mysql.query('START TRANSACTION');
        await mysql.query("SELECT * FROM lock_rows WHERE name = 'goods:1' FOR UPDATE");
      },
      () => mysql.query('ROLLBACK'),
    );
  });

  test('although the deadline of its connection passes after COMMIT', async () => {
    const committed = await buyers.hold('afterCommit', { strategy: 'sql-atomic', goodsId: 1 });
    // It began later, so its deadline passes later. It has committed nothing and is refused.
    const later = await buyers.hold('afterBegin', { strategy: 'sql-atomic', goodsId: 2 });
    expect(await later.outcome).toEqual({ kind: 'refused', status: 503, type: 'engine-unavailable' });
    await later.release();
    await expectSold('sql-atomic', 1, await committed.release());
  });
});

test('a lock that cannot be released inside the transaction ends the transaction: nothing is sold', async () => {
  const buyer = await buyers.hold('beforeUnlock', { strategy: 'lock-inside-transaction' });
  await killConnections();
  expect(await buyer.release()).toEqual({ kind: 'refused', status: 503, type: 'engine-unavailable' });
  expect(await buyers.shop.soldOrderIds(1)).toEqual([]);
});
