import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { type StrategyListing } from '../src/contract/strategy.js';
import { BAD_DEDUCTIONS } from './support/bad-input.js';
import { buy, buyPatiently, count, crowd, orderIds, type Outcome } from './support/buyers.js';
import { eventually } from './support/eventually.js';
import { isHere } from './support/optional-servers.js';
import { strategyNames } from './support/strategy-files.js';
import { TestShop } from './support/test-shop.js';

const BUYERS = 200;
const STOCK = 60;

let shop: TestShop;
let listings: Map<string, StrategyListing>;

beforeAll(async () => {
  shop = await TestShop.open({ instances: 3 });
  const all = await shop.get<StrategyListing[]>('/strategies');
  listings = new Map(all.map((listing) => [listing.name, listing]));
});
afterAll(() => shop.close());

/** The number of instances that handled a deduction with this strategy. */
async function instancesAsked(strategy: string): Promise<number> {
  const asked = await Promise.all(
    shop.shop.instanceUrls.map(async (url) => {
      const metrics = await (await fetch(`${url}/metrics`)).text();
      return metrics.includes(`lockstock_deductions_total{strategy="${strategy}"`);
    }),
  );
  return asked.filter(Boolean).length;
}

const strategies = strategyNames().filter(isHere);

test('every strategy file is found, and no other', async () => {
  expect([...listings.keys()].sort()).toEqual(strategyNames());
  // A strategy whose server is not installed is listed as not available. Connections are made in the background.
  await eventually('the strategies with a server are available', async () => {
    const available = (await shop.get<StrategyListing[]>('/strategies')).filter((each) => each.available);
    return (
      available
        .map(({ name }) => name)
        .sort()
        .join() === strategies.join()
    );
  });
});

function listingOf(strategy: string): StrategyListing {
  const found = listings.get(strategy);
  if (!found) throw new Error(`${strategy} is not listed`);
  return found;
}

function isSafeOnThree(strategy: string): boolean {
  return ['always', 'while-the-lease-holds'].includes(listingOf(strategy).safe);
}

describe.each(strategies)('%s', (strategy) => {
  test(`sells ${STOCK} to ${BUYERS} buyers at once on three instances: exactly, or visibly oversells`, async () => {
    await shop.reset(1, STOCK);
    const outcomes = await crowd(BUYERS, () => buyPatiently(shop, { strategy }));
    const audit = await shop.settledAudit(1);
    expect(orderIds(outcomes)).toEqual(await shop.soldOrderIds(1));
    // An instance may sell nothing: another one may be faster, or hand its lock over to its own buyers.
    expect(await instancesAsked(strategy)).toBe(3);
    if (isSafeOnThree(strategy)) {
      expect([count(outcomes, 'sold'), count(outcomes, 'sold-out')]).toEqual([STOCK, BUYERS - STOCK]);
      expect(audit.invariants.filter(({ ok }) => !ok)).toEqual([]);
      expect(audit).toMatchObject({ verdict: 'SAFE', sold: STOCK, remaining: 0, oversoldBy: 0 });
    } else {
      expect(audit.verdict).toBe('OVERSOLD');
      expect(audit.oversoldBy).toBe(count(outcomes, 'sold') - STOCK);
    }
  });

  test('a lock inside the process is enough for one instance', async () => {
    if (listingOf(strategy).safe === 'never') {
      expect(listingOf(strategy).breaksUnder).toContain('concurrency');
      return;
    }
    const [buyers, stock] = [BUYERS / 2, STOCK / 2];
    await shop.reset(2, stock);
    const at = shop.shop.instanceUrls[0] ?? '';
    const outcomes = await crowd(buyers, () => buyPatiently(shop, { strategy, goodsId: 2, at }));
    expect([count(outcomes, 'sold'), count(outcomes, 'sold-out')]).toEqual([stock, buyers - stock]);
    expect(await shop.settledAudit(2)).toMatchObject({ verdict: 'SAFE', sold: stock, remaining: 0 });
  });

  test('answers "sold out" when fewer units are left than wanted, and sells the rest to a buyer that wants fewer', async () => {
    await shop.reset(3, 5);
    expect(await buyPatiently(shop, { strategy, goodsId: 3, quantity: 6 })).toEqual({ kind: 'sold-out' });
    expect(await shop.settledAudit(3)).toMatchObject({ verdict: 'SAFE', sold: 0, remaining: 5 });
    expect(await buyPatiently(shop, { strategy, goodsId: 3, quantity: 5 })).toMatchObject({
      kind: 'sold',
      receipt: { goodsId: 3, strategy, quantity: 5, remaining: 0, attempts: 1 },
    });
    expect(await buyPatiently(shop, { strategy, goodsId: 3 })).toEqual({ kind: 'sold-out' });
    expect(await shop.settledAudit(3)).toMatchObject({ verdict: 'SAFE', sold: 5, remaining: 0 });
  });

  test('answers unknown-goods for goods that do not exist', async () => {
    expect(await buyPatiently(shop, { strategy, goodsId: 999 })).toMatchObject({
      status: 404,
      type: 'unknown-goods',
    });
  });

  test('refuses bad input and sells nothing', async () => {
    await shop.reset(4, 10);
    for (const [what, body] of BAD_DEDUCTIONS) {
      const response = await shop.post(`/goods/4/deduct/${strategy}`, body);
      const problem = (await response.json()) as { type: string };
      expect([what, response.status, problem.type]).toEqual([what, 400, 'invalid-request']);
      expect(response.headers.get('content-type')).toContain('application/problem+json');
    }
    expect(await shop.audit(4)).toMatchObject({ verdict: 'SAFE', sold: 0, remaining: 10, orders: 0 });
  });

  test('sells once for one key, however often it is sent at the same time', async () => {
    await shop.reset(5, 2);
    const key = randomUUID();
    const first = await buyPatiently(shop, { strategy, goodsId: 5, key });
    const second = await buyPatiently(shop, { strategy, goodsId: 5, key });
    expect(first).toMatchObject({ kind: 'sold', replayed: false });
    expect(second).toEqual({ ...first, replayed: true });
    expect(await buyPatiently(shop, { strategy, goodsId: 5, key, quantity: 2 })).toMatchObject({
      status: 422,
      type: 'idempotency-conflict',
    });
    // The last unit: all these requests are from the same buyer, so none of them may be told "sold out".
    const twins = await crowd(10, () => buyPatiently(shop, { strategy, goodsId: 5, key: `${key}-2` }));
    expect(new Set(orderIds(twins)).size).toBe(1);
    expect(count(twins, 'sold')).toBe(10);
    expect(await shop.settledAudit(5)).toMatchObject({ verdict: 'SAFE', sold: 2, remaining: 0, orders: 2 });
  });

  test('buyers that disconnect leave no lock behind and lose no stock', async () => {
    await shop.reset(6, 1000);
    const outcomes = await crowd(80, async (index) => {
      const impatience = new AbortController();
      const purchase = buy(shop, { strategy, goodsId: 6, signal: impatience.signal });
      if (index % 2 === 0) {
        await sleep(Math.random() * 60);
        impatience.abort();
      }
      return purchase;
    });
    // No request is left waiting: a new buyer is served.
    expect(await buyPatiently(shop, { strategy, goodsId: 6 })).toMatchObject({ kind: 'sold' });
    const audit = await shop.settledAudit(6);
    const ledger = await shop.soldOrderIds(6);
    expect(ledger).toEqual(expect.arrayContaining(orderIds(outcomes)));
    expect(ledger.length).toBeLessThanOrEqual(count(outcomes, 'sold') + count(outcomes, 'unknown') + 1);
    if (isSafeOnThree(strategy)) expect(audit).toMatchObject({ verdict: 'SAFE', sold: ledger.length });
  });
});

const GROUP = 7;
const groups = Array.from({ length: Math.ceil(strategies.length / GROUP) }, (_, index) =>
  strategies.slice(index * GROUP, (index + 1) * GROUP),
);

/** Several strategies in one test, each with its own goods: they share one crash and one restart. */
test.each(groups.map((group) => [group.join(', '), group] as const))(
  'an instance that is killed in the middle loses no order and no stock: %s',
  async (_names, group) => {
    const victim = shop.instance(1);
    const before = victim.pid;
    let killed = false;
    const sales = group.map((strategy, index) => ({
      strategy,
      goodsId: index + 1,
      outcomes: [] as Outcome[],
    }));
    for (const { goodsId } of sales) await shop.reset(goodsId, 1000);
    const shopping = sales.map(({ strategy, goodsId, outcomes }) =>
      crowd(8, async () => {
        const buyOne = async () => {
          const outcome = await buyPatiently(shop, { strategy, goodsId });
          outcomes.push(outcome);
          return outcome;
        };
        while (!killed) await buyOne();
        return buyOne();
      }),
    );
    await eventually('all of them sell', () => sales.every(({ outcomes }) => outcomes.length > 8));
    victim.signal('SIGKILL');
    killed = true;
    await Promise.all(shopping);
    for (const { strategy, goodsId, outcomes } of sales) {
      const audit = await shop.settledAudit(goodsId);
      const ledger = await shop.soldOrderIds(goodsId);
      expect(ledger).toEqual(expect.arrayContaining(orderIds(outcomes)));
      expect(ledger.length).toBeLessThanOrEqual(count(outcomes, 'sold') + count(outcomes, 'unknown'));
      expect({ strategy, sold: audit.sold, oversoldBy: audit.oversoldBy }).toEqual({
        strategy,
        sold: ledger.length,
        oversoldBy: 0,
      });
      if (isSafeOnThree(strategy)) expect([strategy, audit.verdict]).toEqual([strategy, 'SAFE']);
    }
    // The instance has restarted, and the gateway uses it again.
    await eventually('the instance is back', () => victim.pid !== undefined && victim.pid !== before);
    await eventually('the gateway has taken it back', async () => {
      const { instance } = await shop.get<{ instance: string }>('/health/live');
      return instance === 'instance-2';
    });
  },
);
