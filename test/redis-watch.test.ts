import { Redis } from 'ioredis';
import { buyPatiently, count, crowd } from './support/buyers.js';
import { servers, TestShop } from './support/test-shop.js';

const STOCK = 'lockstock:test:watched-stock';
const connections: Redis[] = [];
const connect = () => {
  const connection = new Redis(servers.redisLabUrl);
  connections.push(connection);
  return connection;
};
afterAll(() => {
  for (const connection of connections) connection.disconnect();
});

/** Two buyers of the last unit: both WATCH and read before one of them writes. */
async function twoBuyers(first: Redis, second: Redis): Promise<{ sold: number; left: number }> {
  await first.set(STOCK, 1);
  for (const buyer of [first, second]) {
    await buyer.watch(STOCK);
    expect(await buyer.get(STOCK)).toBe('1');
  }
  const outcomes = [await first.multi().decr(STOCK).exec(), await second.multi().decr(STOCK).exec()];
  const sold = outcomes.filter((outcome) => outcome !== null).length;
  return { sold, left: Number(await first.get(STOCK)) };
}

test('WATCH on a shared connection oversells: the EXEC of one buyer ends the WATCH of the other', async () => {
  const shared = connect();
  expect(await twoBuyers(shared, shared)).toEqual({ sold: 2, left: -1 });
});

test('with a connection per buyer, the second buyer’s EXEC fails because the stock has changed', async () => {
  expect(await twoBuyers(connect(), connect())).toEqual({ sold: 1, left: 0 });
});

test('redis-watch gives each buyer a connection: one instance sells the last unit once', async () => {
  const shop = await TestShop.open({ instances: 1 });
  try {
    for (let round = 1; round <= 5; round += 1) {
      await shop.reset(1, 1, 'redis');
      const outcomes = await crowd(30, () => buyPatiently(shop, { strategy: 'redis-watch' }));
      expect([count(outcomes, 'sold'), count(outcomes, 'sold-out')]).toEqual([1, 29]);
      expect(await shop.settledAudit(1)).toMatchObject({ verdict: 'SAFE', redisRemaining: 0, remaining: 0 });
    }
  } finally {
    await shop.close();
  }
});
