import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Redis } from 'ioredis';
import { redisStockKeys } from '../src/redis-stock/redis-stock-keys.js';
import { Script } from '../src/locks/index.js';
import { ROOT } from '../src/lab/paths.js';
import { buyPatiently } from './support/buyers.js';
import { TestShop } from './support/test-shop.js';

const script = (name: string) => new Script<unknown>(new URL(`file://${ROOT}/src/redis-stock/${name}.lua`));
const { header, stock, reservations, returns, orders, closing } = redisStockKeys(1);

let shop: TestShop;
let redis: Redis;
beforeAll(async () => {
  shop = await TestShop.open({ instances: 1 });
  redis = shop.redis();
});
afterAll(async () => {
  redis.disconnect();
  await shop.close();
});

/**
 * An instance that moves stock to Redis gives up after a second without an answer and releases the row lock. A Redis that
 * was paused executes the command later, when MySQL has taken the stock back and sold it.
 */
test('a late command does not open the Redis stock', async () => {
  await shop.reset(1, 2);
  const mine = randomUUID();
  await script('close-stock').run(redis, [header, orders, closing], ['', mine]);
  const open = () =>
    script('open-stock').run(
      redis,
      [header, stock, reservations, returns, orders, closing],
      ['late', 1, 2, mine],
    );
  // Meanwhile the stock has moved to Redis and back.
  await buyPatiently(shop, { strategy: 'redis-lua' });
  await buyPatiently(shop, { strategy: 'sql-atomic' });

  expect(await open()).toBe(0);
  expect(await buyPatiently(shop, { strategy: 'redis-lua' })).toEqual({ kind: 'sold-out' });
  expect(await shop.settledAudit(1)).toMatchObject({ verdict: 'SAFE', sold: 2 });
});

test('no buyer is told "sold out" while an order that may still fail holds the last units', async () => {
  await shop.reset(1, 3, 'redis');
  // This order has taken all units in Redis and is not in MySQL yet.
  await redis.multi().decrby(stock, 3).hset(reservations, '1999999999998', 3).exec();
  const answers = ['redis-watch', 'redis-decr', 'redis-lua'].map((strategy) =>
    shop.post(`/goods/1/deduct/${strategy}`, { quantity: 1 }),
  );
  // Long enough for a premature "sold out", and shorter than the wait of the other orders. Then the order fails and returns
  // its stock.
  await sleep(300);
  await redis.multi().incrby(stock, 3).hdel(reservations, '1999999999998').exec();
  expect((await Promise.all(answers)).map(({ status }) => status)).toEqual([200, 200, 200]);
  expect(await shop.settledAudit(1)).toMatchObject({ verdict: 'SAFE', sold: 3 });
});
