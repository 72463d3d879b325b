import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Redis } from 'ioredis';
import { labConnection } from '../src/lab/servers.js';
import { redisStockKeys } from '../src/redis-stock/redis-stock-keys.js';
import { buy, buyPatiently, count, crowd, orderIds, type Outcome } from './support/buyers.js';
import { eventually } from './support/eventually.js';
import { holdRow } from './support/held-row.js';
import { TestShop } from './support/test-shop.js';

const STRATEGIES = ['redis-watch', 'redis-decr', 'redis-lua'];

let shop: TestShop;
let redis: Redis;
beforeAll(async () => {
  shop = await TestShop.open({ instances: 3, env: { LOCK_WAIT_MS: '20000' } });
  redis = shop.redis();
});
afterAll(async () => {
  redis.disconnect();
  await shop.close();
});

const until = (condition: () => Promise<boolean> | boolean) => eventually('as awaited', condition, 50_000);
const stock = async (goodsId: number) => Number(await redis.get(redisStockKeys(goodsId).stock));
const at = (index: number) => shop.shop.instanceUrls[index] ?? '';
const orderId = (outcome: Outcome) => {
  if (outcome.kind !== 'sold') throw new Error(JSON.stringify(outcome));
  return outcome.receipt.orderId;
};
const cancel = async (id: number) =>
  (await (await shop.post(`/orders/${id}/cancel`, {})).json()) as { returned: boolean; type?: string };

/** Kills an instance, and waits until it has restarted and MySQL has released its locks. */
async function kill(index: number): Promise<() => Promise<void>> {
  const victim = shop.instance(index);
  const { pid } = victim;
  victim.signal('SIGKILL');
  await until(() => victim.pid !== pid);
  return () => until(() => victim.pid !== undefined && victim.pid !== pid);
}

describe.each(STRATEGIES)('%s', (strategy) => {
  test('every audit during a run is correct', async () => {
    await shop.reset(1, 150, 'redis');
    const running = crowd(200, () => buyPatiently(shop, { strategy }));
    const over = running.then(() => true);
    const verdicts = new Set<string>();
    do verdicts.add((await shop.audit(1)).verdict);
    while (!(await Promise.race([over, sleep(0, false)])));
    expect(count(await running, 'sold')).toBe(150);
    expect([...verdicts]).toEqual(['SAFE']);
    expect(await shop.settledAudit(1)).toMatchObject({ verdict: 'SAFE', redisRemaining: 0, sold: 150 });
  });

  test('a cancelled order returns its units to the Redis stock once', async () => {
    await shop.reset(2, 2, 'redis');
    const id = orderId(await buyPatiently(shop, { strategy, goodsId: 2, quantity: 2 }));
    await shop.settledAudit(2);
    expect(await stock(2)).toBe(0);
    const answers = await Promise.all(Array.from({ length: 10 }, () => cancel(id)));
    expect(answers.filter(({ returned }) => returned)).toHaveLength(1);
    expect(await shop.settledAudit(2)).toMatchObject({ verdict: 'SAFE', redisRemaining: 2, remaining: 2 });
    expect(await buyPatiently(shop, { strategy, goodsId: 2, quantity: 2 })).toMatchObject({ kind: 'sold' });
    expect(await shop.settledAudit(2)).toMatchObject({ verdict: 'SAFE', redisRemaining: 0, sold: 2 });
  });

  test('a return that MySQL has and Redis does not have yet: no buyer is told that the goods are sold out', async () => {
    await shop.reset(8, 1, 'redis');
    const id = orderId(await buyPatiently(shop, { strategy, goodsId: 8 }));
    await shop.settledAudit(8);
    await cancel(id);
    const { stock: units, returns } = redisStockKeys(8);
    // As if the instance had died before the last step of the return.
    await redis.multi().decr(units).hset(returns, id, 1).exec();
    const outcomes: Outcome[] = [];
    do outcomes.push(await buy(shop, { strategy, goodsId: 8 }));
    while (outcomes.at(-1)?.kind === 'refused');
    expect(outcomes.at(-1)).toMatchObject({ kind: 'sold' });
    expect(await shop.settledAudit(8)).toMatchObject({ verdict: 'SAFE', sold: 1, redisRemaining: 0 });
  });

  test('after Redis has lost all data, the Redis stock is rebuilt from MySQL without a surplus unit', async () => {
    await shop.reset(3, 10, 'redis');
    expect(await buyPatiently(shop, { strategy, goodsId: 3, quantity: 4 })).toMatchObject({ kind: 'sold' });
    await shop.settledAudit(3);
    await redis.flushdb();
    const outcomes = await crowd(20, () => buyPatiently(shop, { strategy, goodsId: 3 }));
    expect([count(outcomes, 'sold'), count(outcomes, 'sold-out')]).toEqual([6, 14]);
    expect(await shop.settledAudit(3)).toMatchObject({ verdict: 'SAFE', redisRemaining: 0, sold: 10 });
  });

  test('a Redis stock that lost sales in a failover sells no unit twice and is corrected', async () => {
    await shop.reset(4, 10, 'redis');
    await crowd(6, () => buyPatiently(shop, { strategy, goodsId: 4 }));
    await shop.settledAudit(4);
    await redis.set(redisStockKeys(4).stock, 10);
    expect(await shop.audit(4)).toMatchObject({ verdict: 'GATE-AHEAD' });
    const outcomes = await crowd(10, () => buyPatiently(shop, { strategy, goodsId: 4 }));
    const told = count(outcomes, 'sold');
    // redis-lua acknowledges before MySQL can refuse. That is its price, and the audit reports it.
    if (strategy === 'redis-lua') expect(told).toBeGreaterThanOrEqual(4);
    else expect([told, count(outcomes, 'sold-out')]).toEqual([4, 6]);
    const verdict = told > 4 ? 'UNMATCHED' : 'SAFE';
    // A stock that is rebuilt while refused orders are in flight is too low, until it is rebuilt once more.
    await until(async () => (await stock(4)) === 0 && (await shop.settledAudit(4)).verdict === verdict);
    expect(await shop.settledAudit(4)).toMatchObject({ verdict, sold: 10, remaining: 0 });
  });
});

describe.each(['redis-watch', 'redis-decr'])('%s', (strategy) => {
  test('the units that a killed instance had reserved are returned once, although two instances reconcile', async () => {
    await shop.reset(5, 1, 'redis');
    await buyPatiently(shop, { strategy, goodsId: 6, at: at(0) });
    const row = await holdRow(shop, 5);
    const lost = buy(shop, { strategy, goodsId: 5, at: at(0) });
    await until(async () => (await redis.hlen(redisStockKeys(5).reservations)) === 1);
    const back = await kill(0);
    await row.letGo();
    expect((await lost).kind).toBe('unknown');
    expect(await shop.audit(5)).toMatchObject({ inFlight: 1, redisRemaining: 0, remaining: 1, sold: 0 });
    expect(await shop.settledAudit(5)).toMatchObject({ verdict: 'SAFE', redisRemaining: 1, remaining: 1 });
    const outcomes = await crowd(5, () => buyPatiently(shop, { strategy, goodsId: 5 }));
    expect([count(outcomes, 'sold'), count(outcomes, 'sold-out')]).toEqual([1, 4]);
    expect(await shop.settledAudit(5)).toMatchObject({ verdict: 'SAFE', redisRemaining: 0, sold: 1 });
    await back();
  });

  test('a paused buyer whose reservation was returned sells nothing', async () => {
    // With one connection to the database, a buyer can be stopped between Redis and MySQL.
    const small = await TestShop.open({ instances: 2, env: { LOCK_WAIT_MS: '20000', DATABASE_POOL: '1' } });
    const smallRedis = small.redis();
    try {
      const [first = '', second = ''] = small.shop.instanceUrls;
      await small.reset(1, 1, 'redis');
      await small.reset(2, 5, 'redis');
      await buyPatiently(small, { strategy, goodsId: 2, at: first });
      const row = await holdRow(small, 3);
      const occupier = buy(small, { strategy: 'sql-atomic', goodsId: 3, at: first });
      await until(async () =>
        (await (await fetch(`${first}/metrics`)).text()).includes('{state="in-use"} 1'),
      );
      const sleeper = buy(small, { strategy, goodsId: 1, at: first });
      await until(async () => (await smallRedis.hlen(redisStockKeys(1).reservations)) === 1);
      small.instance(0).signal('SIGSTOP');
      await row.letGo();
      const audit = async () =>
        (await (await fetch(`${second}/goods/1/audit`)).json()) as { inFlight: number };
      await until(async () => (await audit()).inFlight === 0);
      expect(await audit()).toMatchObject({ verdict: 'SAFE', redisRemaining: 1, remaining: 1 });
      small.instance(0).signal('SIGCONT');
      // The answer depends on what is noticed first: the timeout of the reservation, or the rebuilt Redis stock.
      const type = expect.stringMatching(/^(busy|engine-unavailable)$/) as string;
      expect(await sleeper).toEqual({ kind: 'refused', status: 503, type });
      expect((await occupier).kind).toBe('sold');
      expect(await small.settledAudit(1)).toMatchObject({ verdict: 'SAFE', redisRemaining: 1, sold: 0 });
    } finally {
      smallRedis.disconnect();
      await small.close();
    }
  });
});

test('what was sold from MySQL is returned to Redis while Redis has the stock', async () => {
  await shop.reset(6, 5);
  const id = orderId(await buyPatiently(shop, { strategy: 'for-update', goodsId: 6 }));
  await buyPatiently(shop, { strategy: 'redis-lua', goodsId: 6 });
  expect(await stock(6)).toBe(3);
  await cancel(id);
  expect(await stock(6)).toBe(4);
  expect(await shop.settledAudit(6)).toMatchObject({ verdict: 'SAFE', redisRemaining: 4, remaining: 4 });
});

test('what was sold from Redis is returned to MySQL while the row has the stock', async () => {
  await shop.reset(6, 5);
  const id = orderId(await buyPatiently(shop, { strategy: 'redis-lua', goodsId: 6 }));
  await buyPatiently(shop, { strategy: 'sql-atomic', goodsId: 6 });
  await cancel(id);
  expect(await shop.settledAudit(6)).toMatchObject({ verdict: 'SAFE', redisRemaining: null, remaining: 4 });
  await buyPatiently(shop, { strategy: 'redis-decr', goodsId: 6, quantity: 4 });
  expect(await shop.settledAudit(6)).toMatchObject({ verdict: 'SAFE', redisRemaining: 0, remaining: 0 });
});

test.each([1, -1])(
  'a Redis stock that is off by %d is repaired without a sale, and counted',
  async (offset) => {
    await shop.reset(6, 5, 'redis');
    await redis.incrby(redisStockKeys(6).stock, offset);
    const repairs = async () => {
      const texts = await Promise.all(
        shop.shop.instanceUrls.map(async (url) => (await fetch(`${url}/metrics`)).text()),
      );
      return texts.filter((text) => /repairs_total\{difference="stock"\} [1-9]/.test(text)).length;
    };
    await until(async () => (await stock(6)) === 5 && (await repairs()) > 0);
    expect(await shop.settledAudit(6)).toMatchObject({ verdict: 'SAFE', redisRemaining: 5, remaining: 5 });
  },
);

test('an accepted order that MySQL refused is reported as refused to a retry with its key, to its buyer and in the audit', async () => {
  await shop.reset(6, 5, 'redis');
  await redis.set(redisStockKeys(6).stock, 6);
  const key = randomUUID();
  const sold = await buyPatiently(shop, { strategy: 'redis-lua', goodsId: 6, quantity: 6, key });
  const number = orderId(sold);
  await until(async () => (await shop.settledAudit(6)).verdict === 'UNMATCHED');
  expect(await buy(shop, { strategy: 'redis-lua', goodsId: 6, quantity: 6, key })).toEqual({
    kind: 'refused',
    status: 409,
    type: 'order-refused',
  });
  const order = await fetch(`${shop.url}/orders/${number}`, { headers: shop.headers });
  expect(await order.json()).toEqual({ orderId: number, state: 'refused', reason: 'out-of-stock' });
  expect(await cancel(number)).toMatchObject({ type: 'order-refused' });
  expect(await shop.settledAudit(6)).toMatchObject({ sold: 0, remaining: 5, redisRemaining: 5 });
});

test('a missing Redis stock is rebuilt although an earlier reservation was never written to MySQL', async () => {
  await shop.reset(6, 5, 'redis');
  const { header, reservations } = redisStockKeys(6);
  await redis.hset(reservations, '1', '2 of a buyer who is dead');
  await redis.del(header);
  expect(await shop.audit(6)).toMatchObject({ verdict: 'SAFE', inFlight: 2, redisRemaining: null });
  expect(await shop.settledAudit(6)).toMatchObject({ verdict: 'SAFE', redisRemaining: 5, remaining: 5 });
});

test('redis-decr refuses no buyer because of another buyer’s DECRBY that is about to be compensated', async () => {
  await shop.reset(6, 20, 'redis');
  const outcomes = await crowd(120, (index) =>
    buyPatiently(shop, { strategy: 'redis-decr', goodsId: 6, quantity: index % 3 === 0 ? 50 : 1 }),
  );
  expect(count(outcomes, 'sold')).toBe(20);
  expect(await shop.settledAudit(6)).toMatchObject({ verdict: 'SAFE', redisRemaining: 0, remaining: 0 });
});

describe('orders that redis-lua has accepted', () => {
  const strategy = 'redis-lua';

  test('are on the disk of Redis before their buyers get an answer', async () => {
    expect(await redis.config('GET', 'appendonly')).toEqual(['appendonly', 'yes']);
    expect(await redis.config('GET', 'appendfsync')).toEqual(['appendfsync', 'always']);
  });

  test('get the same receipt for the same key before they are in MySQL', async () => {
    await shop.reset(7, 2, 'redis');
    const row = await holdRow(shop, 7);
    const key = randomUUID();
    const first = await buyPatiently(shop, { strategy, goodsId: 7, key, at: at(0) });
    expect(first).toMatchObject({ kind: 'sold', replayed: false });
    expect(await buyPatiently(shop, { strategy, goodsId: 7, key, at: at(1) })).toEqual({
      ...first,
      replayed: true,
    });
    expect(await buyPatiently(shop, { strategy, goodsId: 7, key, quantity: 2 })).toMatchObject({
      type: 'idempotency-conflict',
    });
    expect(await cancel(orderId(first))).toMatchObject({ type: 'busy' });
    expect(await shop.audit(7)).toMatchObject({ inFlight: 1, redisRemaining: 1, remaining: 2, sold: 0 });
    await row.letGo();
    expect(await shop.settledAudit(7)).toMatchObject({ verdict: 'SAFE', orders: 1, redisRemaining: 1 });
    expect(await buyPatiently(shop, { strategy, goodsId: 7, key })).toEqual({ ...first, replayed: true });
  });

  test('are counted in the metrics while they wait', async () => {
    await shop.reset(7, 10, 'redis');
    const row = await holdRow(shop, 7);
    await crowd(5, () => buyPatiently(shop, { strategy, goodsId: 7 }));
    const metrics = async () => (await fetch(`${at(2)}/metrics`)).text();
    expect(await metrics()).toContain('lockstock_accepted_orders_waiting 5');
    await row.letGo();
    await shop.settledAudit(7);
    await until(async () => (await metrics()).includes('lockstock_accepted_orders_waiting 0'));
  });

  test('survive a crash of the instance that was about to write them', async () => {
    await shop.reset(8, 50, 'redis');
    const row = await holdRow(shop, 8);
    const outcomes = await crowd(20, () => buyPatiently(shop, { strategy, goodsId: 8, at: at(0) }));
    // The consumer is null as long as no instance has read an entry.
    type Pending = [count: number, first: string, last: string, readers: [string, string][] | null];
    const readers = async () =>
      ((await redis.xpending(redisStockKeys(8).orders, 'ledger')) as Pending)[3] ?? [];
    await until(async () => (await readers()).some(([name]) => name === 'instance-1'));
    const back = await kill(0);
    await row.letGo();
    expect(await shop.settledAudit(8)).toMatchObject({ verdict: 'SAFE', sold: 20, remaining: 30 });
    expect(await shop.soldOrderIds(8)).toEqual(orderIds(outcomes));
    await back();
  });

  test('are written once, although their consumer crashed after COMMIT and before it acknowledged them', async () => {
    await shop.reset(8, 10, 'redis');
    const { orders } = redisStockKeys(8);
    const row = await holdRow(shop, 8);
    await buyPatiently(shop, { strategy, goodsId: 8, quantity: 3 });
    const [entry] = await redis.xrange(orders, '-', '+');
    await row.letGo();
    await shop.settledAudit(8);
    // The entry is delivered again, because it was not acknowledged.
    await redis.xadd(orders, '*', ...(entry?.[1] ?? []));
    await until(async () => (await redis.xlen(orders)) === 0);
    expect(await shop.settledAudit(8)).toMatchObject({ verdict: 'SAFE', orders: 1, sold: 3, remaining: 7 });
  });

  test('are all in the ledger, once each, after instances were killed in the middle of a run', async () => {
    await shop.reset(9, 400, 'redis');
    let answered = 0;
    const comebacks: Promise<() => Promise<void>>[] = [];
    const outcomes = await crowd(400, async (index) => {
      await sleep(index * 4);
      const outcome = await buyPatiently(shop, { strategy, goodsId: 9 });
      answered += 1;
      if (answered === 60 || answered === 200) comebacks.push(kill(answered === 60 ? 1 : 2));
      return outcome;
    });
    const audit = await shop.settledAudit(9);
    const ledger = await shop.soldOrderIds(9);
    expect(audit).toMatchObject({ verdict: 'SAFE', sold: ledger.length });
    expect(new Set(ledger).size).toBe(ledger.length);
    expect(ledger).toEqual(expect.arrayContaining(orderIds(outcomes)));
    expect(ledger.length).toBeLessThanOrEqual(count(outcomes, 'sold') + count(outcomes, 'unknown'));
    for (const back of await Promise.all(comebacks)) await back();
  });

  test('are in the ledger under their own run when a reset happens before they are written', async () => {
    await shop.reset(10, 5, 'redis');
    const { runId } = await shop.audit(10);
    const row = await holdRow(shop, 10);
    const id = orderId(await buyPatiently(shop, { strategy, goodsId: 10 }));
    const reset = shop.reset(10, 7, 'redis');
    await row.letGo();
    await reset;
    await until(async () => (await redis.xlen(redisStockKeys(10).orders)) === 0);
    const connection = await labConnection(shop.servers, shop.database);
    const [rows] = await connection.query('SELECT run_id AS runId FROM orders WHERE number = ?', [id]);
    await connection.end();
    expect(rows).toEqual([{ runId }]);
    expect(await shop.settledAudit(10)).toMatchObject({
      verdict: 'SAFE',
      sold: 0,
      remaining: 7,
      redisRemaining: 7,
    });
  });
});
