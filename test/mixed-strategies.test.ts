import { randomUUID } from 'node:crypto';
import { type Receipt } from '../src/contract/receipt.js';
import { type StrategyListing } from '../src/contract/strategy.js';
import { buy, buyPatiently, count, crowd, orderIds, type Outcome } from './support/buyers.js';
import { isHere } from './support/optional-servers.js';
import { strategyNames } from './support/strategy-files.js';
import { TestShop } from './support/test-shop.js';

/** They oversell on their own, so no mixture with them can be safe. */
const UNSAFE = ['no-lock', 'check-then-act', 'lock-inside-transaction', 'mutex'];
const STRATEGIES = strategyNames().filter((name) => isHere(name) && !UNSAFE.includes(name));

let shop: TestShop;
beforeAll(async () => {
  // A lease that ends on a busy machine would break the promise of a lock, which is not what is tested here.
  shop = await TestShop.open({ instances: 2, env: { LOCK_LEASE_MS: '60000' } });
  for (const strategy of STRATEGIES) await shop.listed(strategy);
});
afterAll(() => shop.close());

const cancel = (orderId: number) => shop.post(`/orders/${orderId}/cancel`, {});

async function sell(strategy: string, goodsId = 1): Promise<Receipt> {
  const outcome = await buyPatiently(shop, { strategy, goodsId });
  if (outcome.kind !== 'sold') throw new Error(`${strategy}: ${JSON.stringify(outcome)}`);
  return outcome.receipt;
}

/** Cancels, and retries while the order is not in the ledger yet. */
async function cancelPatiently(orderId: number): Promise<void> {
  for (;;) {
    const { status } = await cancel(orderId);
    if (status === 200) return;
    expect([orderId, status]).toEqual([orderId, 503]);
  }
}

describe.each(STRATEGIES)('%s', (strategy) => {
  test('loses nothing when it sells at the same time as returns', async () => {
    await shop.reset(1, 200);
    for (let round = 0; round < 4; round += 1) {
      const first = await Promise.all(Array.from({ length: 3 }, () => sell(strategy)));
      await Promise.all([
        ...first.map(({ orderId }) => cancelPatiently(orderId)),
        ...Array.from({ length: 3 }, () => sell(strategy)),
      ]);
    }
    expect(await shop.settledAudit(1)).toMatchObject({ verdict: 'SAFE', sold: 12, remaining: 188 });
  });
});

test('every strategy sells in turn, in whichever store the previous one left the stock', async () => {
  const order = [...STRATEGIES, ...STRATEGIES.toReversed()];
  await shop.reset(2, order.length + 1);
  for (const [index, strategy] of order.entries()) {
    const { remaining } = await sell(strategy, 2);
    expect([strategy, remaining]).toEqual([strategy, order.length - index]);
    expect([strategy, (await shop.audit(2)).verdict]).toEqual([strategy, 'SAFE']);
  }
  const audit = await shop.settledAudit(2);
  expect(audit).toMatchObject({ verdict: 'SAFE', sold: order.length, remaining: 1, inFlight: 0 });
});

const PAIRS = [
  ['named-lock', 'sql-atomic'],
  ['lease-seq', 'for-update'],
  ['reentrant', 'fair'],
  ['setnx-lua', 'cas-version'],
  ['segmented', 'sql-atomic'],
  ['segmented', 'redis-lua'],
  ['redis-lua', 'sql-atomic'],
  ['redis-decr', 'named-lock'],
  ['redis-watch', 'redis-lua'],
  ['fencing-token', 'idempotent'],
  ['read-write', 'unique-row'],
  ['batch', 'sql-atomic'],
  ['batch', 'named-lock'],
  ['batch', 'segmented'],
  ['stored-procedure', 'batch'],
  ['stored-procedure', 'redis-lua'],
].filter((pair) => pair.every((name) => STRATEGIES.includes(name)));

describe.each(PAIRS)('%s and %s at the same time', (...pair) => {
  test('sell the stock exactly, and every receipt is in the ledger', async () => {
    const stock = 60;
    await shop.reset(3, stock);
    const outcomes = await crowd(stock + 30, (index) =>
      buyPatiently(shop, { strategy: pair[index % 2] as string, goodsId: 3 }),
    );
    const audit = await shop.settledAudit(3);
    expect([audit.verdict, count(outcomes, 'sold'), count(outcomes, 'sold-out')]).toEqual([
      'SAFE',
      stock,
      30,
    ]);
    expect(audit).toMatchObject({ sold: stock, remaining: 0 });
    expect((await shop.soldOrderIds(3)).sort()).toEqual(orderIds(outcomes).sort());
  });

  test('one key sells once', async () => {
    await shop.reset(4, 50);
    for (let round = 0; round < 6; round += 1) {
      const key = randomUUID();
      const outcomes = await crowd(6, (index) =>
        buy(shop, { strategy: pair[(index + round) % 2] as string, goodsId: 4, key }),
      );
      const ids = new Set(orderIds(outcomes));
      expect([...ids].length).toBeLessThanOrEqual(1);
      const refused = outcomes.flatMap((outcome) => (outcome.kind === 'refused' ? [outcome.type] : []));
      expect(
        refused.filter((type) => !['idempotency-conflict', 'busy', 'lock-timeout'].includes(type)),
      ).toEqual([]);
    }
    const audit = await shop.settledAudit(4);
    expect(audit).toMatchObject({ verdict: 'SAFE' });
    expect(audit.sold).toBeLessThanOrEqual(6);
  });
});

test('a sale by redis-lua after the last unit was sold from MySQL is refused, not acknowledged', async () => {
  await shop.reset(5, 1);
  await sell('sql-atomic', 5);
  const late: Outcome = await buyPatiently(shop, { strategy: 'redis-lua', goodsId: 5 });
  expect(late).toEqual({ kind: 'sold-out' });
  expect(await shop.settledAudit(5)).toMatchObject({ verdict: 'SAFE', sold: 1 });
});

test('every strategy in these mixtures promises safety', async () => {
  const listed = await shop.get<StrategyListing[]>('/strategies');
  expect(listed.filter(({ name }) => STRATEGIES.includes(name)).map(({ safe }) => safe)).not.toContain(
    'never',
  );
});
