import { createConnection, type RowDataPacket } from 'mysql2/promise';
import { migrate } from '../src/database/migrate.js';
import { labConnection, migrationEnvironment } from '../src/lab/servers.js';
import { buy, buyPatiently } from './support/buyers.js';
import { eventually } from './support/eventually.js';
import { holdRow } from './support/held-row.js';
import { openBehindProxy, type ProxiedShop } from './support/proxied-shop.js';
import { servers, type TestShop } from './support/test-shop.js';

const strategy = 'stored-procedure';

let proxied: ProxiedShop;
let shop: TestShop;
beforeAll(async () => {
  proxied = await openBehindProxy({ instances: 1, env: { LOCK_WAIT_MS: '1000' } });
  shop = proxied.shop;
});
afterAll(() => proxied.close());
beforeEach(() => shop.reset(1, 10));

test('EXECUTE is the only right that a sale needs', async () => {
  const owner = await createConnection(
    (migrationEnvironment(servers, shop.database)['MIGRATIONS_URL'] ?? '').replace(/^mariadb:/, 'mysql:'),
  );
  const user = `only_execute_${process.pid}`;
  await owner.query(`CREATE USER ${user}@'%' IDENTIFIED BY 'secret'`);
  try {
    await owner.query(`GRANT EXECUTE ON PROCEDURE ${shop.database}.deduct_stock TO ${user}@'%'`);
    const connection = await createConnection({
      ...{ host: '127.0.0.1', port: servers.databasePort, user, password: 'secret', database: shop.database },
    });
    const [[rows]] = (await connection.query(
      `CALL deduct_stock(1, 3, '${strategy}', 'test', NULL, NULL)`,
    )) as unknown as [[RowDataPacket[]]];
    expect(rows).toMatchObject([{ outcome: 'sold', remaining: 7 }]);
    const minting = connection.query(`CALL deduct_stock(1, -5, '${strategy}', 'test', NULL, NULL)`);
    await expect(minting).rejects.toMatchObject({ sqlState: '45000' });
    await expect(connection.query('SELECT * FROM orders')).rejects.toMatchObject({ errno: 1142 });
    await connection.end();
  } finally {
    await owner.query(`DROP USER ${user}@'%'`);
    await owner.end();
  }
  expect(await shop.audit(1)).toMatchObject({ verdict: 'SAFE', sold: 3 });
});

test.each([
  ['the CALL is lost, and nothing is sold', { requests: 'drop' }, 0],
  ['its answer is lost, and the order is sold', { answers: 'drop' }, 1],
] as const)('the outcome is unknown when %s', async (_, flows, sold) => {
  proxied.wire.set({ ...flows, containing: 'requests' in flows ? 'CALL' : 'orderId' });
  const outcome = await buy(shop, { strategy });
  proxied.wire.set({ requests: 'pass', answers: 'pass' });
  expect(outcome).toEqual({ kind: 'unknown', why: 'outcome-unknown' });
  expect(await buyPatiently(shop, { strategy })).toMatchObject({ kind: 'sold' });
  expect(await shop.audit(1)).toMatchObject({ verdict: 'SAFE', sold: sold + 1 });
});

test('a procedure that is missing sells nothing, and the next migration creates it', async () => {
  await proxied.mysql.query('DROP PROCEDURE deduct_stock');
  expect(await buy(shop, { strategy })).toEqual({ kind: 'refused', status: 503, type: 'engine-unavailable' });
  // As if another owner had created it, whose account may be dropped.
  await proxied.mysql.query('CREATE PROCEDURE deduct_stock() SELECT 1');
  const { MIGRATIONS_URL = '', DATABASE_URL = '' } = migrationEnvironment(servers, shop.database);
  await migrate(MIGRATIONS_URL, DATABASE_URL);
  expect(await buyPatiently(shop, { strategy })).toMatchObject({ kind: 'sold' });
  expect(await shop.audit(1)).toMatchObject({ verdict: 'SAFE', sold: 1 });
});

test('the wait for a locked row times out, and nothing is sold', async () => {
  const row = await holdRow(shop, 1);
  const outcome = await buy(shop, { strategy });
  await row.letGo();
  expect(outcome).toEqual({ kind: 'refused', status: 503, type: 'lock-timeout' });
  expect(await shop.audit(1)).toMatchObject({ verdict: 'SAFE', sold: 0 });
});

test('a deadlock rolls the sale back', async () => {
  const key = 'key-of-the-deadlock';
  const { runId } = await shop.audit(1);
  await proxied.mysql.query('START TRANSACTION');
  // Several rows, so that the server rolls back the other transaction.
  const line = (idempotencyKey: string) => ['SALE', runId, 1, 'test', 1, idempotencyKey, 'test', 0, 0, 1, 0];
  await proxied.mysql.query(
    `INSERT INTO orders (kind, run_id, goods_id, strategy, quantity, idempotency_key, instance, before_inventory,
                         after_inventory, attempts, waited_ms) VALUES ?`,
    [[key, 'key-2', 'key-3', 'key-4'].map(line)],
  );
  const outcome = buy(shop, { strategy, key });
  const observer = await labConnection(servers, shop.database);
  await eventually('the sale has the row', async () => {
    const [rows] = await observer.query<RowDataPacket[]>(
      'SELECT id FROM goods WHERE id = 1 FOR UPDATE SKIP LOCKED',
    );
    return rows.length === 0;
  });
  await observer.end();
  await proxied.mysql.query('SELECT id FROM goods WHERE id = 1 FOR UPDATE');
  expect(await outcome).toEqual({ kind: 'refused', status: 503, type: 'busy' });
  await proxied.mysql.query('ROLLBACK');
  expect(await buy(shop, { strategy, key })).toMatchObject({ kind: 'sold', replayed: false });
  expect(await shop.audit(1)).toMatchObject({ verdict: 'SAFE', sold: 1 });
});
