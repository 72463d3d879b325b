import { type Audit } from '../src/contract/audit.js';
import { TcpProxy } from '../src/lab/tcp-proxy.js';
import { buy } from './support/buyers.js';
import { eventually } from './support/eventually.js';
import { servers, TestShop } from './support/test-shop.js';

/** In the text of the audit's queries alone. */
const OF_AN_AUDIT = 'brokenLinks';

let shop: TestShop;
let wire: TcpProxy;
beforeAll(async () => {
  wire = await TcpProxy.to(servers.databasePort);
  shop = await TestShop.open({
    instances: 1,
    env: { DATABASE_POOL: '4', LOCK_WAIT_MS: '10000' },
    servers: { ...servers, databasePort: wire.port },
  });
});
afterAll(async () => {
  await shop.close();
  await wire.close();
});

test('audits that hang do not keep buyers from buying', async () => {
  for (let goodsId = 1; goodsId <= 12; goodsId += 1) await buy(shop, { strategy: 'sql-atomic', goodsId });
  wire.set({ requests: 'hold', containing: OF_AN_AUDIT });
  const audits = Promise.all(
    Array.from({ length: 48 }, (_, index) => fetch(`${shop.url}/goods/${(index % 12) + 1}/audit`)),
  );
  await eventually('an audit hangs', () => wire.intercepted > 0);
  for (let goodsId = 1; goodsId <= 12; goodsId += 1)
    expect(await buy(shop, { strategy: 'sql-atomic', goodsId })).toMatchObject({ kind: 'sold' });
  // The number of connections that audits use is fixed.
  expect(wire.intercepted).toBeLessThanOrEqual(2);
  wire.set({ requests: 'pass' });
  for (const response of await audits) expect(response.status).toBe(200);
});

test('audits of one goods that are asked for at the same time are made once, after they were asked for', async () => {
  await shop.reset(1, 100);
  await buy(shop, { strategy: 'sql-atomic' });
  wire.set({ requests: 'hold', containing: OF_AN_AUDIT });
  const early = shop.audit(1);
  await eventually('an audit has begun', () => wire.intercepted === 1);
  await buy(shop, { strategy: 'sql-atomic' });
  const late = Promise.all(Array.from({ length: 50 }, () => shop.audit(1)));
  wire.set({ requests: { delayMs: 1 }, containing: OF_AN_AUDIT });
  await early;
  for (const { orders } of (await late) satisfies Audit[]) expect(orders).toBe(2);
  // The one that was running is not enough for those who came later; one more is enough for all of them.
  expect(wire.intercepted).toBeLessThanOrEqual(2);
  wire.set({ requests: 'pass' });
});
