import { setTimeout as sleep } from 'node:timers/promises';
import { buy, type Outcome } from './support/buyers.js';
import { eventually } from './support/eventually.js';
import { KeptConnection } from './support/kept-connection.js';
import { TestShop } from './support/test-shop.js';

const ROUNDS = 4;
const BUYERS = 40;

let shop: TestShop;
beforeAll(async () => {
  shop = await TestShop.open({ instances: 3, env: { LOG_LEVEL: 'warn' } });
});
afterAll(() => shop.close());

test('instances that get SIGTERM under load serve their requests first: no buyer at the gateway fails', async () => {
  for (let goodsId = 1; goodsId <= 12; goodsId += 1) await shop.reset(goodsId, 1_000_000);
  let over = false;
  const outcomes: Outcome[] = [];
  const buyers = Array.from({ length: BUYERS }, async (_, index) => {
    while (!over) {
      outcomes.push(await buy(shop, { strategy: 'sql-atomic', goodsId: 1 + (index % 12) }));
      // The gateway then has idle connections, which a stopping instance must not close while nginx chooses one.
      await sleep(Math.random() * 40);
    }
  });
  for (let round = 0; round < ROUNDS; round += 1) {
    const instance = shop.instance(round % 3);
    const { pid } = instance;
    const before = outcomes.length;
    instance.signal('SIGTERM');
    await eventually('the instance is gone', () => instance.pid !== pid);
    await eventually('its successor is up', () => instance.pid !== undefined, 60_000);
    await eventually('buyers buy', () => outcomes.length > before + 100, 60_000);
  }
  over = true;
  await Promise.all(buyers);
  expect(outcomes.filter(({ kind }) => kind !== 'sold')).toEqual([]);
}, 240_000);

test('an instance that is stopping is not ready while it finishes its requests', async () => {
  const [url = ''] = shop.shop.instanceUrls;
  const instance = shop.instance(0);
  const { pid } = instance;
  const kept = new KeptConnection(url);
  expect(await kept.get('/health/ready')).toMatchObject({ status: 200 });
  instance.signal('SIGTERM');
  await eventually('no further connection is accepted', () =>
    fetch(`${url}/health/live`).then(
      () => false,
      () => true,
    ),
  );
  expect(await kept.get('/health/ready')).toMatchObject({ status: 503, closes: true });
  await eventually('the instance is gone', () => instance.pid !== pid);
});
