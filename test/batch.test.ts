import { randomUUID } from 'node:crypto';
import { type RowDataPacket } from 'mysql2/promise';
import { buy, buyPatiently, count, crowd, orderIds, type Outcome, receipts } from './support/buyers.js';
import { eventually } from './support/eventually.js';
import { holdRow } from './support/held-row.js';
import { openBehindProxy, type ProxiedShop } from './support/proxied-shop.js';
import { type TestShop } from './support/test-shop.js';

const strategy = 'batch';
const LOCK_WAIT_MS = 3000;

let proxied: ProxiedShop;
let shop: TestShop;
beforeAll(async () => {
  proxied = await openBehindProxy({ instances: 3, env: { LOCK_WAIT_MS: String(LOCK_WAIT_MS) } });
  shop = proxied.shop;
});
afterAll(() => proxied.close());

const urlOf = (index: number) => shop.shop.instanceUrls[index] ?? '';

async function inFlight(index: number): Promise<number> {
  const metrics = await (await fetch(`${urlOf(index)}/metrics`)).text();
  return Number(/lockstock_deductions_in_flight\{strategy="batch"\} (\d+)/.exec(metrics)?.[1] ?? 0);
}

/** Buyers at one instance: their orders wait in its queue while another transaction holds the row. */
async function queued(buyers: number, purchase: (index: number) => { quantity?: number; key?: string }) {
  const row = await holdRow(shop, 1);
  const outcomes = crowd(buyers, (index) => buy(shop, { strategy, at: urlOf(0), ...purchase(index) }));
  await eventually('the orders wait', async () => (await inFlight(0)) === buyers);
  return { row, outcomes };
}

async function version(): Promise<number> {
  const [rows] = await proxied.mysql.query<({ version: number } & RowDataPacket)[]>(
    'SELECT version FROM goods WHERE id = 1',
  );
  return rows[0]?.version ?? NaN;
}

test('orders that wait for the row are written in one batch, and each gets its own answer', async () => {
  await shop.reset(1, 45);
  const before = await version();
  // Wherever the order for more than the stock is in the queue, the orders behind it lose nothing to it.
  const { row, outcomes } = await queued(30, (index) => ({ quantity: index === 7 ? 46 : 2 }));
  await row.letGo();
  const told = await outcomes;
  expect([count(told, 'sold'), count(told, 'sold-out')]).toEqual([22, 8]);
  expect(
    receipts(told)
      .map(({ remaining }) => remaining)
      .sort((a, b) => b - a),
  ).toEqual(Array.from({ length: 22 }, (_, index) => 43 - 2 * index));
  expect(orderIds(told)).toEqual(await shop.soldOrderIds(1));
  expect(await shop.audit(1)).toMatchObject({ verdict: 'SAFE', sold: 44, remaining: 1, orders: 22 });
  expect((await version()) - before).toBe(1);
});

test('a key that is twice in one batch sells once, and another order with that key is refused', async () => {
  await shop.reset(1, 100);
  const key = randomUUID();
  const { row, outcomes } = await queued(20, (index) => ({ key, quantity: index === 19 ? 3 : 1 }));
  await row.letGo();
  const told = await outcomes;
  const conflicts = told.filter(
    (outcome) => outcome.kind === 'refused' && outcome.type === 'idempotency-conflict',
  );
  // Either of the two requests may have come first.
  expect([1, 19]).toContain(count(told, 'sold'));
  expect(count(told, 'sold') + conflicts.length).toBe(20);
  expect(new Set(orderIds(told)).size).toBe(1);
  expect(await shop.audit(1)).toMatchObject({ verdict: 'SAFE', orders: 1 });
});

test('an unanswered COMMIT has an unknown outcome for each order of its batch', async () => {
  await shop.reset(1, 100);
  const { row, outcomes } = await queued(12, () => ({}));
  proxied.wire.set({ requests: 'drop', containing: 'COMMIT' });
  await row.letGo();
  const told = await outcomes;
  proxied.wire.set({ requests: 'pass' });
  expect(told).toEqual(told.map(() => ({ kind: 'unknown', why: 'outcome-unknown' })));
  expect(await buyPatiently(shop, { strategy })).toMatchObject({ kind: 'sold' });
  expect(await shop.settledAudit(1)).toMatchObject({ verdict: 'SAFE', sold: 1 });
});

test('orders for a row that stays locked are refused within the wait time, and nothing is sold', async () => {
  await shop.reset(1, 100);
  const { row, outcomes } = await queued(12, () => ({}));
  const told = await outcomes;
  await row.letGo();
  for (const outcome of told) expect(outcome).toMatchObject({ kind: 'refused', status: 503 });
  expect(await buyPatiently(shop, { strategy })).toMatchObject({ kind: 'sold' });
  expect(await shop.settledAudit(1)).toMatchObject({ verdict: 'SAFE', sold: 1 });
});

test('an instance that gets SIGTERM still serves every order in its queue', async () => {
  await shop.reset(1, 100);
  const { row, outcomes } = await queued(20, () => ({}));
  const { pid } = shop.instance(0);
  shop.instance(0).signal('SIGTERM');
  await eventually('no further connection is accepted', () =>
    fetch(`${urlOf(0)}/health/live`).then(
      () => false,
      () => true,
    ),
  );
  await row.letGo();
  expect(count(await outcomes, 'sold')).toBe(20);
  await eventually(
    'the instance is back',
    () => shop.instance(0).pid !== undefined && shop.instance(0).pid !== pid,
  );
  await eventually('it answers', () =>
    fetch(`${urlOf(0)}/health/ready`).then(
      ({ ok }) => ok,
      () => false,
    ),
  );
});

test('no order is lost or repeated when three instances are killed and connections break', async () => {
  const stock = 2000;
  await shop.reset(1, stock);
  let over = false;
  const outcomes: Outcome[] = [];
  const keys = new Map<string, Outcome>();
  const buyers = Array.from({ length: 36 }, async (_, index) => {
    while (!over) {
      const key = randomUUID();
      // An order whose outcome is unknown is sent again with its key.
      let outcome: Outcome;
      do outcome = await buyPatiently(shop, { strategy, key, quantity: 1 + (index % 3) });
      while (outcome.kind === 'unknown');
      outcomes.push(outcome);
      keys.set(key, outcome);
    }
  });
  const more = (wanted: number) => {
    const target = outcomes.length + wanted;
    return eventually('the buyers buy', () => outcomes.length > target, 60_000);
  };
  for (let round = 0; round < 6; round += 1) {
    await more(60);
    const instance = shop.instance(round % 3);
    const { pid } = instance;
    if (round % 2 === 0) {
      instance.signal('SIGKILL');
      await eventually('it is back', () => instance.pid !== undefined && instance.pid !== pid, 60_000);
    } else proxied.wire.reset();
  }
  await more(60);
  over = true;
  await Promise.all(buyers);
  const audit = await shop.settledAudit(1);
  expect(audit).toMatchObject({ verdict: 'SAFE' });
  const [lines] = await proxied.mysql.query<({ id: number; key: string; left: number } & RowDataPacket)[]>(
    `SELECT orders.id, idempotency_key AS \`key\`, after_inventory AS \`left\`
     FROM orders JOIN goods ON goods.run_id = orders.run_id WHERE goods.id = 1`,
  );
  const told = [...keys].flatMap(([key, outcome]) =>
    outcome.kind === 'sold' ? [{ id: outcome.receipt.orderId, key, left: outcome.receipt.remaining }] : [],
  );
  const sorted = (all: readonly { readonly id: number }[]) => [...all].sort((a, b) => a.id - b.id);
  expect(sorted(told)).toEqual(sorted(lines));
  // Every buyer was served until the stock was gone.
  for (const outcome of outcomes) expect(['sold', 'sold-out']).toContain(outcome.kind);
}, 240_000);
