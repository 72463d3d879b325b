import { type Redis } from 'ioredis';
import { type Goods } from '../src/stock/goods.entity.js';
import { buyPatiently } from './support/buyers.js';
import { eventually } from './support/eventually.js';
import { databaseReads } from './support/goods-reads.js';
import { TestShop } from './support/test-shop.js';

/** The lifetime of an entry in the cache. */
const KEPT_MS = 1000;

let shop: TestShop;
let redis: Redis;
beforeAll(async () => {
  shop = await TestShop.open({ instances: 3 });
  redis = shop.redis();
});
afterAll(async () => {
  redis.disconnect();
  await shop.close();
});

test('an expired entry is rebuilt once, for any number of readers at any number of instances', async () => {
  // It may expire before it is deleted here. Then there is one more read.
  await eventually('the entry is deleted', async () => {
    await shop.get<Goods>('/goods/9');
    return (await redis.del('lockstock:{goods:9}:page')) === 1;
  });
  const before = await databaseReads(shop);
  const started = performance.now();
  const answers = await Promise.all(Array.from({ length: 200 }, () => shop.get<Goods>('/goods/9')));
  // On a slow machine the entry may expire before the last reader. Then it is rebuilt once more.
  const lifetimes = Math.ceil((performance.now() - started) / KEPT_MS);
  expect(new Set(answers.map(({ name }) => name)).size).toBe(1);
  const reads = (await databaseReads(shop)) - before;
  expect(reads).toBeGreaterThanOrEqual(1);
  expect(reads).toBeLessThanOrEqual(lifetimes);
});

test('a sale, a return and a reset are visible at once', async () => {
  await shop.reset(10, 100);
  expect(await shop.get<Goods>('/goods/10')).toMatchObject({ inventory: 100 });
  const outcome = await buyPatiently(shop, { strategy: 'sql-atomic', goodsId: 10 });
  expect(await shop.get<Goods>('/goods/10')).toMatchObject({ inventory: 99 });
  if (outcome.kind === 'sold') await shop.post(`/orders/${outcome.receipt.orderId}/cancel`, {});
  expect(await shop.get<Goods>('/goods/10')).toMatchObject({ inventory: 100 });
  await shop.reset(10, 7);
  expect(await shop.get<Goods>('/goods/10')).toMatchObject({ inventory: 7, supply: 7 });
});

test('a reader never sees more stock than before the last acknowledged sale', async () => {
  await shop.reset(11, 300);
  const shift = { selling: true };
  const seen: number[] = [];
  const reader = (async () => {
    while (shift.selling) seen.push((await shop.get<Goods>('/goods/11')).inventory);
  })();
  for (let i = 0; i < 100; i += 1) await buyPatiently(shop, { strategy: 'sql-atomic', goodsId: 11 });
  shift.selling = false;
  await reader;
  expect(seen.every((inventory, index) => index === 0 || inventory <= (seen[index - 1] as number))).toBe(
    true,
  );
  await eventually('the reset is seen', async () => (await shop.get<Goods>('/goods/11')).inventory === 200);
});

test('a sale that reaches the row later is seen as soon as it is there', async () => {
  await shop.reset(12, 100);
  await buyPatiently(shop, { strategy: 'redis-lua', goodsId: 12 });
  // A reader that is slower than the buyer caches the goods for much longer than they are usually kept.
  await redis.set('lockstock:{goods:12}:page', JSON.stringify({ inventory: 100 }), 'PX', 600_000);
  await eventually('the sale is seen', async () => (await shop.get<Goods>('/goods/12')).inventory === 99);
});

test('unknown goods are still 404', async () => {
  const answers = await Promise.all(Array.from({ length: 20 }, () => fetch(`${shop.url}/goods/999`)));
  expect(answers.map(({ status }) => status)).toEqual(Array.from({ length: 20 }, () => 404));
});
