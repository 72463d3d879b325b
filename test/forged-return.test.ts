import { createConnection, type Connection } from 'mysql2/promise';
import { serviceEnvironment } from '../src/lab/servers.js';
import { buy, receipts } from './support/buyers.js';
import { TestShop } from './support/test-shop.js';

let shop: TestShop;
let asService: Connection;
beforeAll(async () => {
  shop = await TestShop.open({ instances: 1 });
  const { DATABASE_URL = '' } = serviceEnvironment(shop.servers, shop.database);
  asService = await createConnection(DATABASE_URL.replace(/^mariadb:/, 'mysql:'));
});
afterAll(async () => {
  await asService.end();
  await shop.close();
});

async function sell(goodsId: number, quantity: number): Promise<number> {
  const [receipt] = receipts([await buy(shop, { strategy: 'sql-atomic', goodsId, quantity })]);
  return receipt?.orderId ?? 0;
}

/** Returns two units of goods 1 in the stock row and in the ledger, as a cancellation does: sums and chain agree. */
async function forgeReturn(cancels: number | null): Promise<void> {
  await asService.query('START TRANSACTION');
  await asService.query('UPDATE goods SET inventory = inventory + 2 WHERE id = 1');
  await asService.query(
    `INSERT INTO orders (kind, run_id, goods_id, strategy, quantity, instance, before_inventory, after_inventory,
                         attempts, waited_ms, cancels)
     SELECT 'RETURN', run_id, id, 'sql-atomic', 2, 'forged', inventory - 2, inventory, 1, 0, ? FROM goods WHERE id = 1`,
    [cancels],
  );
  await asService.query('COMMIT');
}

test.each<[string, () => number | null | Promise<number>]>([
  ['no order at all', () => null],
  ['an order that does not exist', () => 900_000_000],
  ['an order of other goods', () => sell(2, 2)],
  ['an order of another quantity', () => sell(1, 3)],
])('a forged return of %s turns the verdict', async (_, cancelled) => {
  await shop.reset(1, 10);
  await sell(1, 2);
  const cancels = await cancelled();
  expect(await shop.audit(1)).toMatchObject({ verdict: 'SAFE' });
  await forgeReturn(cancels);
  const { verdict, invariants } = await shop.audit(1);
  expect(invariants.filter(({ ok }) => !ok).map(({ name }) => name)).toEqual(['returns-match-sales']);
  expect(verdict).toBe('LOST-UPDATE');
});

test('a forged return of an order of an earlier run changes the verdict', async () => {
  await shop.reset(1, 10);
  const earlier = await sell(1, 2);
  await shop.reset(1, 10);
  await sell(1, 2);
  await forgeReturn(earlier);
  expect(await shop.audit(1)).toMatchObject({ verdict: 'LOST-UPDATE' });
});

test('a real return does not', async () => {
  await shop.reset(1, 10);
  const sale = await sell(1, 2);
  await forgeReturn(sale);
  expect(await shop.audit(1)).toMatchObject({ verdict: 'SAFE', sold: 0, remaining: 10 });
});
