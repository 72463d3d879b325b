import { type StrategyListing } from '../src/contract/strategy.js';
import { HeldBuyers } from './support/held-buyers.js';

const BASKET = [1, 2, 3];

let buyers: HeldBuyers;
beforeAll(async () => {
  buyers = await HeldBuyers.open({ instances: 1, env: { LOCK_LEASE_MS: '1000', LOCK_WAIT_MS: '20000' } });
});
afterAll(() => buyers.close());
beforeEach(async () => {
  for (const goodsId of BASKET) await buyers.shop.reset(goodsId, 10);
});

/** Deletes the lock of the goods in Redis, as an eviction or a failover would. */
async function loseLock(goodsId: number): Promise<void> {
  const redis = buyers.shop.redis();
  expect(await redis.del(`lockstock:lock:reentrant:{goods:${goodsId}}`)).toBe(1);
  redis.disconnect();
}

test('reentrant is the only lock strategy that sells baskets', async () => {
  const strategies = await buyers.shop.get<(StrategyListing & { baskets: boolean })[]>('/strategies');
  const locking = strategies.filter(({ baskets, needs }) => baskets && needs.includes('redis'));
  expect(locking.map(({ name }) => name)).toEqual(['reentrant']);
});

test.each(BASKET)('a basket whose lock of goods %i is lost is not committed', async (lost) => {
  // The inner locks are released row by row. At the last release only COMMIT is left to do.
  const basket = await buyers.hold(
    'beforeUnlock',
    { strategy: 'reentrant', basket: BASKET },
    { visit: BASKET.length },
  );
  await loseLock(lost);
  // The next buyer at this instance gets the lock when the instance has noticed the loss.
  const next = await buyers.hold('afterLock', { strategy: 'reentrant', goodsId: lost });
  expect(await basket.release()).toEqual({ kind: 'refused', status: 503, type: 'lock-lost' });
  expect(await next.release()).toMatchObject({ kind: 'sold' });
  for (const goodsId of BASKET) {
    expect([goodsId, await buyers.shop.soldOrderIds(goodsId)]).toEqual([
      goodsId,
      goodsId === lost ? [expect.any(Number)] : [],
    ]);
  }
});

test('a basket that holds its locks is sold', async () => {
  expect(
    await (await buyers.hold('beforeCommit', { strategy: 'reentrant', basket: BASKET })).release(),
  ).toMatchObject({
    kind: 'sold',
  });
});
