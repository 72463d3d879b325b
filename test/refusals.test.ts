import { type Connection } from 'mysql2/promise';
import { labConnection } from '../src/lab/servers.js';
import { buy } from './support/buyers.js';
import { eventually } from './support/eventually.js';
import { TestShop } from './support/test-shop.js';

let shop: TestShop;
let mysql: Connection;
beforeAll(async () => {
  shop = await TestShop.open({ instances: 1, env: { LOCK_WAIT_MS: '1000' } });
  mysql = await labConnection(shop.servers, shop.database);
});
afterAll(async () => {
  await mysql.end();
  await shop.close();
});

async function recorded(): Promise<number[]> {
  const [rows] = await mysql.query(
    `SELECT quantity FROM refusals JOIN goods ON goods.run_id = refusals.run_id WHERE goods.id = 1 ORDER BY quantity`,
  );
  return (rows as { quantity: number }[]).map(({ quantity }) => quantity);
}

test('each smaller quantity that was refused is a row of its own, and no row is changed', async () => {
  await shop.reset(1, 1);
  for (const quantity of [5, 7, 3, 3, 4, 2]) await buy(shop, { strategy: 'sql-atomic', quantity });
  expect(await recorded()).toEqual([2, 3, 5]);
});

test('the answer is still "sold out" when the refusal cannot be recorded; it is recorded later', async () => {
  await shop.reset(1, 1);
  await mysql.query('START TRANSACTION');
  await mysql.query('SELECT * FROM refusals FOR UPDATE');
  expect(await buy(shop, { strategy: 'sql-atomic', quantity: 5 })).toEqual({ kind: 'sold-out' });
  expect(await recorded()).toEqual([]);
  await mysql.query('ROLLBACK');
  await eventually('the refusal is recorded', async () => (await recorded()).includes(5));
});
