import { buy, count, crowd, type Outcome } from './support/buyers.js';
import { eventually } from './support/eventually.js';
import { holdRow } from './support/held-row.js';
import { isHere } from './support/optional-servers.js';
import { strategyNames } from './support/strategy-files.js';
import { TestShop } from './support/test-shop.js';

const POOL = 8;
const BUYERS = 40;

let shop: TestShop;
beforeAll(async () => {
  shop = await TestShop.open({
    instances: 1,
    env: { DATABASE_POOL: String(POOL), LOCK_WAIT_MS: '10000', MAX_IN_FLIGHT: '480' },
  });
});
afterAll(() => shop.close());

async function metric(name: string): Promise<number> {
  const text = await (await fetch(`${shop.shop.instanceUrls[0] ?? ''}/metrics`)).text();
  const line = text.split('\n').find((entry) => entry.startsWith(`${name} `));
  return Number(line?.slice(name.length) ?? 0);
}
const inUse = () => metric('lockstock_pool_connections{state="in-use"}');
const inFlight = (strategy: string) => metric(`lockstock_deductions_in_flight{strategy="${strategy}"}`);

/** Lets the buyers that wait for the row finish: the next test needs an idle instance. */
async function drain(row: { letGo(): Promise<void> }, waiting: Promise<Outcome[]>): Promise<Outcome[]> {
  await row.letGo();
  const outcomes = await waiting;
  await eventually('the instance is idle', async () => (await inUse()) === 0);
  return outcomes;
}

describe('while buyers of one goods wait for its row', () => {
  test.each(strategyNames().filter(isHere))('a buyer of other goods is served: %s', async (strategy) => {
    await shop.listed(strategy);
    await shop.reset(1, 1000);
    await shop.reset(2, 1000);
    const row = await holdRow(shop, 1);
    const waiting = crowd(BUYERS, () => buy(shop, { strategy, goodsId: 1 }));
    // redis-lua answers before it writes the row, so its buyers do not wait.
    if (strategy !== 'redis-lua')
      await eventually('the buyers wait', async () => (await inFlight(strategy)) >= BUYERS);
    const other = await buy(shop, { strategy, goodsId: 2 });
    const stillWaiting = await inFlight(strategy);
    await drain(row, waiting);
    expect(other).toMatchObject({ kind: 'sold' });
    // It was served while they waited, not after them.
    if (strategy !== 'redis-lua') expect(stillWaiting).toBe(BUYERS);
  });

  test.each(['named-lock', 'for-update', 'sql-atomic', 'batch', 'stored-procedure'])(
    '400 buyers do not keep ten buyers of another goods, or a basket, from buying: %s',
    async (strategy) => {
      await shop.reset(1, 1000);
      const row = await holdRow(shop, 1);
      const waiting = crowd(400, () => buy(shop, { strategy, goodsId: 1 }));
      // One goods may use three quarters of the requests that the instance executes at once.
      await eventually('the buyers wait', async () => (await inFlight(strategy)) >= 360);
      const others = await crowd(10, (index) => buy(shop, { strategy, goodsId: 2 + index }));
      const basket = await buy(shop, { strategy: 'for-update', basket: [3, 4] });
      const stillWaiting = await inFlight(strategy);
      const refused = (await drain(row, waiting)).filter(({ kind }) => kind !== 'sold');
      expect(count(others, 'sold')).toBe(10);
      expect(basket).toMatchObject({ kind: 'sold' });
      expect(stillWaiting).toBe(360);
      for (const outcome of refused) expect(outcome).toMatchObject({ kind: 'refused', status: 503 });
    },
  );

  test('several hot goods leave connections for the other goods', async () => {
    const hot = [1, 2, 3];
    const rows = await Promise.all(hot.map((goodsId) => holdRow(shop, goodsId)));
    const waiting = crowd(90, (index) =>
      buy(shop, { strategy: 'for-update', goodsId: hot[index % hot.length] ?? 1 }),
    );
    await eventually('the buyers wait', async () => (await inFlight('for-update')) >= 90);
    const others = await crowd(5, () => buy(shop, { strategy: 'for-update', goodsId: 7 }));
    const stillWaiting = await inFlight('for-update');
    await Promise.all(rows.map((row) => row.letGo()));
    await waiting;
    expect(count(others, 'sold')).toBe(5);
    expect(stillWaiting).toBe(90);
  });
});

test('health and the list of strategies are correct while every pooled connection is in use', async () => {
  // As many goods as there are connections: each goods holds one, and none is free.
  const all = Array.from({ length: 12 }, (_, index) => index + 1);
  const rows = await Promise.all(all.map((goodsId) => holdRow(shop, goodsId)));
  const waiting = crowd(120, (index) =>
    buy(shop, { strategy: 'for-update', goodsId: all[index % all.length] ?? 1 }),
  );
  await eventually('every connection is held', async () => (await inUse()) === POOL);
  const health = await fetch(`${shop.shop.instanceUrls[0] ?? ''}/health/ready`);
  const engines = ((await health.json()) as { engines: Record<string, string> }).engines;
  const strategies = await shop.get<{ name: string; available: boolean }[]>('/strategies');
  const stillHeld = await inUse();
  await Promise.all(rows.map((row) => row.letGo()));
  await waiting;
  expect({ status: health.status, mysql: engines['mysql'] }).toEqual({ status: 200, mysql: 'up' });
  expect(strategies.find(({ name }) => name === 'for-update')).toMatchObject({ available: true });
  // The answers came while the connections were in use: neither request waited for one.
  expect(stillHeld).toBe(POOL);
});
