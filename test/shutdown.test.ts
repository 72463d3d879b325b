import { Redis } from 'ioredis';
import { type StrategyListing } from '../src/contract/strategy.js';
import { buy, type Outcome } from './support/buyers.js';
import { eventually } from './support/eventually.js';
import { asLab, TestShop } from './support/test-shop.js';

/** So long that the test notices a waiter that waits for its end. */
const LEASE_MS = 60_000;
const GOODS = 12;

let shop: TestShop;
let redis: Redis[];
/** Ends the requests of the buyers, also after a failed test. */
let over = false;
beforeAll(async () => {
  shop = await TestShop.open({
    instances: 2,
    env: { LOCK_LEASE_MS: String(LEASE_MS), LOCK_WAIT_MS: '30000' },
  });
  redis = [shop.servers.redisLabUrl, ...shop.servers.redlockUrls.map(asLab)].map((url) => new Redis(url));
});
afterAll(async () => {
  over = true;
  for (const client of redis) client.disconnect();
  await shop.close();
});

const at = (index: number) => shop.shop.instanceUrls[index] ?? '';
const locksInRedis = ({ needs, stock }: StrategyListing) =>
  stock === 'mysql' && needs.some((engine) => engine !== 'mysql');

/** The keys of locks that are held or waited for, without counters and without the notes of former holders. */
async function lockKeys(): Promise<string[]> {
  const keys = await Promise.all(redis.map((client) => client.keys('lockstock:*')));
  return keys.flat().filter((key) => /:(lock|setnx):/.test(key) && !/:(fence|released)$/.test(key));
}

/** Buys again and again, each time after the last answer. */
async function keepBuying(
  strategy: string,
  goodsId: number,
  where: string,
  goOn: (last: Outcome) => boolean,
) {
  const outcomes: Outcome[] = [];
  for (;;) {
    const outcome = await buy(shop, { strategy, goodsId, at: where });
    outcomes.push(outcome);
    if (!goOn(outcome)) return { strategy, outcomes };
  }
}

test('an instance that gets SIGTERM under load releases every lock in Redis, so no other instance waits for a lease', async () => {
  const strategies = (await shop.get<StrategyListing[]>('/strategies')).filter(locksInRedis);
  expect(strategies.map(({ family }) => family)).toContain('redis-lock');
  const sales = strategies.map(({ name }, index) => ({ name, goodsId: 1 + (index % GOODS) }));
  for (let goodsId = 1; goodsId <= GOODS; goodsId += 1) await shop.reset(goodsId, 100_000);

  const victim = shop.instance(0);
  const { pid } = victim;
  const leaving = sales.flatMap(({ name, goodsId }) =>
    [1, 2, 3].map(() => keepBuying(name, goodsId, at(0), ({ kind }) => kind === 'sold')),
  );
  const staying = sales.map(({ name, goodsId }) => keepBuying(name, goodsId, at(1), () => !over));
  await eventually('locks of many kinds are held', async () => (await lockKeys()).length > sales.length / 2);
  victim.signal('SIGTERM');
  await Promise.all(leaving);
  await eventually('the instance is gone', () => victim.pid !== pid);

  // A new buyer finds no lock of the stopped instance.
  const gone = performance.now();
  const next = await Promise.all(
    sales.map(({ name, goodsId }) => buy(shop, { strategy: name, goodsId, at: at(1) })),
  );
  expect(next.map(({ kind }) => kind)).toEqual(sales.map(() => 'sold'));
  expect(performance.now() - gone).toBeLessThan(LEASE_MS / 4);
  over = true;
  for (const { strategy, outcomes } of await Promise.all(staying))
    expect([strategy, outcomes.filter(({ kind }) => kind !== 'sold')]).toEqual([strategy, []]);
  await eventually('no lock is left', async () => (await lockKeys()).length === 0);
}, 120_000);
