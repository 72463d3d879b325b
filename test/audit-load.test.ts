import { type Audit } from '../src/contract/audit.js';
import { buy } from './support/buyers.js';
import { eventually } from './support/eventually.js';
import { openBehindProxy, type ProxiedShop } from './support/proxied-shop.js';
import { type TestShop } from './support/test-shop.js';

/** Only the queries of the audit contain this text. */
const OF_AN_AUDIT = 'brokenLinks';

let proxied: ProxiedShop;
let shop: TestShop;
beforeAll(async () => {
  proxied = await openBehindProxy({ instances: 1, env: { DATABASE_POOL: '4', LOCK_WAIT_MS: '10000' } });
  shop = proxied.shop;
});
afterAll(() => proxied.close());

test('sales continue while audits hang', async () => {
  for (let goodsId = 1; goodsId <= 12; goodsId += 1) await buy(shop, { strategy: 'sql-atomic', goodsId });
  proxied.wire.set({ requests: 'hold', containing: OF_AN_AUDIT });
  const audits = Promise.all(
    Array.from({ length: 48 }, (_, index) => fetch(`${shop.url}/goods/${(index % 12) + 1}/audit`)),
  );
  await eventually('an audit hangs', () => proxied.wire.intercepted > 0);
  for (let goodsId = 1; goodsId <= 12; goodsId += 1)
    expect(await buy(shop, { strategy: 'sql-atomic', goodsId })).toMatchObject({ kind: 'sold' });
  // Audits use a fixed number of connections.
  expect(proxied.wire.intercepted).toBeLessThanOrEqual(2);
  proxied.wire.set({ requests: 'pass' });
  for (const response of await audits) expect(response.status).toBe(200);
});

test('simultaneous requests for the audit of one goods share one audit that began after them', async () => {
  await shop.reset(1, 100);
  await buy(shop, { strategy: 'sql-atomic' });
  proxied.wire.set({ requests: 'hold', containing: OF_AN_AUDIT });
  const early = shop.audit(1);
  await eventually('an audit has begun', () => proxied.wire.intercepted === 1);
  await buy(shop, { strategy: 'sql-atomic' });
  const late = Promise.all(Array.from({ length: 50 }, () => shop.audit(1)));
  proxied.wire.set({ requests: { delayMs: 1 }, containing: OF_AN_AUDIT });
  await early;
  for (const { orders } of (await late) satisfies Audit[]) expect(orders).toBe(2);
  // The requests that arrived during the first audit need another one. They all share it.
  expect(proxied.wire.intercepted).toBeLessThanOrEqual(2);
  proxied.wire.set({ requests: 'pass' });
});
