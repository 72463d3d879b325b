import { setTimeout as sleep } from 'node:timers/promises';
import { type Redis } from 'ioredis';
import { type Connection, type RowDataPacket } from 'mysql2/promise';
import { labConnection } from '../src/lab/servers.js';
import { type Lease, RedisLock } from '../src/locks/index.js';
import { type Goods } from '../src/stock/goods.entity.js';
import { buy, buyPatiently, count, crowd, orderIds, type Outcome, receipts } from './support/buyers.js';
import { eventually } from './support/eventually.js';
import { TestShop } from './support/test-shop.js';

const strategy = 'segmented';

let shop: TestShop;
let redis: Redis;
let locks: RedisLock;
let database: Connection;
beforeAll(async () => {
  shop = await TestShop.open({ instances: 3, env: { LOCK_WAIT_MS: '1000' } });
  redis = shop.redis();
  locks = new RedisLock(redis, { prefix: 'lockstock:lock:plain:' });
  database = await labConnection(shop.servers, shop.database);
});
afterAll(async () => {
  locks.close();
  redis.disconnect();
  await database.end();
  await shop.close();
});

/** The stock in the goods' row and in each segment of its run, read from the database. */
async function stockOf(goodsId: number): Promise<{ row: number; segments: number[] }> {
  const [rows] = await database.query<RowDataPacket[]>(
    `SELECT goods.inventory AS inRow, stock_segments.inventory FROM goods
     LEFT JOIN stock_segments ON stock_segments.run_id = goods.run_id WHERE goods.id = ? ORDER BY segment`,
    [goodsId],
  );
  const split = rows as { inRow: number; inventory: number | null }[];
  return { row: split[0]?.inRow ?? NaN, segments: split.flatMap(({ inventory }) => inventory ?? []) };
}

const hold = (goodsId: number, ...segments: number[]): Promise<Lease[]> =>
  Promise.all(segments.map((segment) => locks.acquire(`goods:${goodsId}:${segment}`, { waitMs: 5000 })));
const letGo = (leases: readonly Lease[]) => Promise.all(leases.map((lease) => lease.release()));
interface Cancelled {
  returned: boolean;
  remaining: number;
  returnId: number;
}

/** Retries a 503, as the answer asks its client to. */
async function cancel(id: number): Promise<Cancelled> {
  for (;;) {
    const response = await shop.post(`/orders/${id}/cancel`, {});
    if (response.status !== 503) return (await response.json()) as Cancelled;
    await response.body?.cancel();
  }
}
const orderId = (outcome: Outcome) => {
  if (outcome.kind !== 'sold') throw new Error(JSON.stringify(outcome));
  return outcome.receipt.orderId;
};
/** The verdicts of all audits that complete while `work` runs. */
async function verdictsDuring(goodsId: number, work: Promise<unknown>): Promise<Set<string>> {
  const over = work.then(() => true);
  const verdicts = new Set<string>();
  do verdicts.add((await shop.audit(goodsId)).verdict);
  while (!(await Promise.race([over, sleep(0, false)])));
  return verdicts;
}

test('the first sale of a run moves the stock from the goods’ row into five segments; readers see the same stock throughout', async () => {
  await shop.reset(1, 60);
  expect(await stockOf(1)).toEqual({ row: 60, segments: [] });
  expect(await buyPatiently(shop, { strategy })).toMatchObject({ kind: 'sold', receipt: { remaining: 59 } });
  expect(await stockOf(1)).toEqual({ row: 0, segments: [12, 12, 12, 12, 11] });
  expect(await shop.get<Goods>('/goods/1')).toMatchObject({ inventory: 59, supply: 60 });
  expect((await shop.get<Goods[]>('/goods')).find(({ id }) => id === 1)).toMatchObject({ inventory: 59 });
  expect(await shop.audit(1)).toMatchObject({ verdict: 'SAFE', sold: 1, remaining: 59, orders: 1 });
});

test('a reset splits the stock evenly again, and leaves nothing in the segments of the ended run', async () => {
  await shop.reset(1, 20);
  await buyPatiently(shop, { strategy });
  const held = await hold(1, 0, 1, 2, 3);
  await crowd(3, () => buyPatiently(shop, { strategy }));
  await letGo(held);
  expect(await stockOf(1)).toEqual({ row: 0, segments: [4, 4, 4, 4, 0] });
  const { runId } = await shop.audit(1);
  await shop.reset(1, 52);
  expect(await stockOf(1)).toEqual({ row: 52, segments: [] });
  await buyPatiently(shop, { strategy });
  expect(await stockOf(1)).toEqual({ row: 0, segments: [11, 10, 10, 10, 10] });
  const [left] = await database.query<RowDataPacket[]>(
    'SELECT SUM(inventory) AS n FROM stock_segments WHERE run_id = ?',
    [runId],
  );
  expect(Number(left[0]?.['n'])).toBe(0);
});

describe('sweeping', () => {
  test('a buyer skips locked segments at once and is never told that they are sold out', async () => {
    await shop.reset(2, 26);
    await buyPatiently(shop, { strategy, goodsId: 2 });
    const held = await hold(2, 0, 1, 3, 4);
    const outcomes = await crowd(5, () => buyPatiently(shop, { strategy, goodsId: 2 }));
    expect(count(outcomes, 'sold')).toBe(5);
    expect(await stockOf(2)).toEqual({ row: 0, segments: [5, 5, 0, 5, 5] });
    // The units that are left are in locked segments, so the buyer must retry.
    expect(await buy(shop, { strategy, goodsId: 2 })).toMatchObject({ status: 503, type: 'lock-timeout' });
    await letGo(held);
    expect(await buyPatiently(shop, { strategy, goodsId: 2 })).toMatchObject({ kind: 'sold' });
    expect(await shop.audit(2)).toMatchObject({ verdict: 'SAFE', sold: 7, remaining: 19 });
  });

  test('a buyer does not wait for the lock of a segment with too few units', async () => {
    await shop.reset(2, 6);
    await buyPatiently(shop, { strategy, goodsId: 2, quantity: 5 });
    expect((await stockOf(2)).segments).toEqual([1, 0, 0, 0, 0]);
    const held = await hold(2, 1, 2, 3, 4);
    expect(await buyPatiently(shop, { strategy, goodsId: 2 })).toMatchObject({
      kind: 'sold',
      receipt: { attempts: 1 },
    });
    held.push(...(await hold(2, 0)));
    expect(await buyPatiently(shop, { strategy, goodsId: 2 })).toEqual({ kind: 'sold-out' });
    await letGo(held);
  });

  test('a buyer whose segment is empty after the wait tries another segment', async () => {
    await shop.reset(2, 6);
    await buyPatiently(shop, { strategy, goodsId: 2 });
    const held = await hold(2, 0, 1, 2, 3, 4);
    const waiting = crowd(5, () => buyPatiently(shop, { strategy, goodsId: 2 }));
    const listening = async () => (await redis.pubsub('CHANNELS', 'lockstock:lock:plain:{goods:2:*')).length;
    await eventually('somebody waits for a segment', async () => (await listening()) > 0);
    await letGo(held);
    expect(count(await waiting, 'sold')).toBe(5);
    expect(await buyPatiently(shop, { strategy, goodsId: 2 })).toEqual({ kind: 'sold-out' });
    expect(await shop.audit(2)).toMatchObject({ verdict: 'SAFE', sold: 6, remaining: 0 });
  });

  test('the buyers of a crowd are spread over all segments', async () => {
    await shop.reset(2, 500);
    await buyPatiently(shop, { strategy, goodsId: 2 });
    await crowd(100, () => buyPatiently(shop, { strategy, goodsId: 2 }));
    const { segments } = await stockOf(2);
    expect(segments).toHaveLength(5);
    expect(segments.filter((inventory) => inventory < 99)).toEqual(segments);
  });
});

describe('an order larger than each segment', () => {
  test('is sold as long as the segments together have enough', async () => {
    await shop.reset(3, 60);
    expect(await buyPatiently(shop, { strategy, goodsId: 3, quantity: 30 })).toMatchObject({
      kind: 'sold',
      receipt: { quantity: 30, remaining: 30, attempts: 1 },
    });
    expect(await stockOf(3)).toEqual({ row: 0, segments: [6, 6, 6, 6, 6] });
    expect(await buyPatiently(shop, { strategy, goodsId: 3, quantity: 31 })).toEqual({ kind: 'sold-out' });
    expect(await buyPatiently(shop, { strategy, goodsId: 3, quantity: 29 })).toMatchObject({ kind: 'sold' });
    expect(await buyPatiently(shop, { strategy, goodsId: 3 })).toMatchObject({ receipt: { remaining: 0 } });
    expect(await shop.audit(3)).toMatchObject({ verdict: 'SAFE', sold: 60, remaining: 0, orders: 3 });
  });

  test('large and small orders with cancellations at the same time: no deadlock, and every audit is correct', async () => {
    const deadlocks = async () => {
      const [rows] = await database.query<RowDataPacket[]>("SHOW GLOBAL STATUS LIKE 'Innodb_deadlocks'");
      return Number(rows[0]?.['Value']);
    };
    const before = await deadlocks();
    await shop.reset(3, 300);
    let cancelled = 0;
    const buying = crowd(120, async (index) => {
      const outcome = await buyPatiently(shop, { strategy, goodsId: 3, quantity: 1 + ((index * 7) % 23) });
      if (outcome.kind === 'sold' && index % 4 === 0) {
        expect(await cancel(outcome.receipt.orderId)).toMatchObject({ returned: true });
        cancelled += outcome.receipt.quantity;
      }
      return outcome;
    });
    expect([...(await verdictsDuring(3, buying))]).toEqual(['SAFE']);
    const outcomes = await buying;
    const wanted = receipts(outcomes).reduce((sum, { quantity }) => sum + quantity, 0);
    expect(count(outcomes, 'sold') + count(outcomes, 'sold-out')).toBe(120);
    expect(orderIds(outcomes)).toEqual(await shop.soldOrderIds(3));
    const audit = await shop.audit(3);
    expect(audit.invariants.filter(({ ok }) => !ok)).toEqual([]);
    expect(audit).toMatchObject({ verdict: 'SAFE', sold: wanted - cancelled });
    expect(await deadlocks()).toBe(before);
  });
});

describe('cancelling', () => {
  test.each([
    ['from one segment', 2],
    ['across segments', 15],
  ])('an order %s gives its stock back once, and it can be sold again', async (_, quantity) => {
    await shop.reset(4, 20);
    await buyPatiently(shop, { strategy, goodsId: 4 });
    const id = orderId(await buyPatiently(shop, { strategy, goodsId: 4, quantity }));
    const answers = await Promise.all(Array.from({ length: 10 }, () => cancel(id)));
    expect(answers.filter(({ returned }) => returned)).toHaveLength(1);
    expect(new Set(answers.map(({ returnId }) => returnId)).size).toBe(1);
    expect(new Set(answers.map(({ remaining }) => remaining))).toEqual(new Set([19]));
    expect((await stockOf(4)).row).toBe(0);
    expect(await shop.audit(4)).toMatchObject({ verdict: 'SAFE', sold: 1, remaining: 19 });
    expect(await buyPatiently(shop, { strategy, goodsId: 4, quantity: 19 })).toMatchObject({ kind: 'sold' });
    expect(await shop.audit(4)).toMatchObject({ verdict: 'SAFE', sold: 20, remaining: 0 });
  });

  test('the units that a cancelled order of another strategy returns to the goods’ row can be sold from there', async () => {
    await shop.reset(4, 10);
    const id = orderId(await buyPatiently(shop, { strategy: 'sql-atomic', goodsId: 4, quantity: 3 }));
    expect(await buyPatiently(shop, { strategy, goodsId: 4, quantity: 7 })).toMatchObject({ kind: 'sold' });
    expect(await buyPatiently(shop, { strategy, goodsId: 4 })).toEqual({ kind: 'sold-out' });
    await cancel(id);
    expect(await stockOf(4)).toEqual({ row: 3, segments: [0, 0, 0, 0, 0] });
    expect(await buyPatiently(shop, { strategy, goodsId: 4, quantity: 3 })).toMatchObject({ kind: 'sold' });
    expect(await shop.audit(4)).toMatchObject({ verdict: 'SAFE', sold: 10, remaining: 0 });
  });
});

test.each(['sql-atomic', 'for-update', 'cas-version'])(
  'at the same time as %s on the same goods it sells each unit once',
  async (other) => {
    await shop.reset(5, 60);
    const buying = crowd(200, (index) =>
      buyPatiently(shop, { strategy: index % 2 ? strategy : other, goodsId: 5 }),
    );
    const verdicts = await verdictsDuring(5, buying);
    // A strategy that reads only the goods' row refuses buyers while the segments have stock. The audit reports only that.
    expect([...verdicts].filter((verdict) => !['SAFE', 'FALSE-SOLD-OUT'].includes(verdict))).toEqual([]);
    const outcomes = await buying;
    expect(count(outcomes, 'sold')).toBe(60);
    expect(orderIds(outcomes)).toEqual(await shop.soldOrderIds(5));
    const audit = await shop.audit(5);
    expect(audit.invariants.filter(({ ok }) => !ok)).toEqual([]);
    expect(audit).toMatchObject({ verdict: 'SAFE', sold: 60, remaining: 0 });
  },
);

test('each unit is sold once although Redis keeps losing the locks', async () => {
  await shop.reset(6, 60);
  const buying = crowd(200, () => buyPatiently(shop, { strategy, goodsId: 6 }));
  const over = buying.then(() => true);
  let forgotten = 0;
  do {
    for (const key of await redis.keys('lockstock:lock:plain:{goods:6*}')) forgotten += await redis.del(key);
  } while (!(await Promise.race([over, sleep(0, false)])));
  expect(forgotten).toBeGreaterThan(0);
  expect(count(await buying, 'sold')).toBe(60);
  expect(await shop.audit(6)).toMatchObject({ verdict: 'SAFE', sold: 60, remaining: 0 });
});

test('a buyer whose run is reset during the purchase buys in the new run', async () => {
  await shop.reset(7, 10);
  await buyPatiently(shop, { strategy, goodsId: 7 });
  const { runId } = await shop.audit(7);
  const held = await hold(7, 0, 1, 2, 3, 4);
  const late = buyPatiently(shop, { strategy, goodsId: 7 });
  const listening = async () => (await redis.pubsub('CHANNELS', 'lockstock:lock:plain:{goods:7:*')).length;
  await eventually('the buyer waits', async () => (await listening()) > 0);
  await shop.reset(7, 10);
  await letGo(held);
  const id = orderId(await late);
  const [rows] = await database.query<RowDataPacket[]>('SELECT run_id AS runId FROM orders WHERE id = ?', [
    id,
  ]);
  expect(rows[0]?.['runId']).toBeGreaterThan(runId);
  expect(await shop.audit(7)).toMatchObject({ verdict: 'SAFE', sold: 1, remaining: 9 });
});

test('errors in two segments that cancel each other out are found by the chain', async () => {
  await shop.reset(8, 50);
  await buyPatiently(shop, { strategy, goodsId: 8 });
  const { runId } = await shop.audit(8);
  await database.query(
    'UPDATE stock_segments SET inventory = inventory + IF(segment = 1, 1, -1) WHERE run_id = ? AND segment IN (1, 2)',
    [runId],
  );
  await crowd(20, () => buyPatiently(shop, { strategy, goodsId: 8 }));
  const audit = await shop.audit(8);
  expect(audit).toMatchObject({ verdict: 'LOST-UPDATE', sold: 21, remaining: 29 });
  expect(audit.invariants.filter(({ ok }) => !ok)).toEqual([
    { name: 'chain', ok: false, detail: '2 orders started from stale stock' },
  ]);
});
