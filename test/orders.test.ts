import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { type Receipt } from '../src/contract/receipt.js';
import { buyPatiently } from './support/buyers.js';
import { labConnection } from '../src/lab/servers.js';
import { eventually } from './support/eventually.js';
import { TestShop } from './support/test-shop.js';

let shop: TestShop;
beforeAll(async () => {
  shop = await TestShop.open({ instances: 2 });
});
afterAll(() => shop.close());

const items = (...wanted: [goodsId: number, quantity: number][]) => ({
  items: wanted.map(([goodsId, quantity]) => ({ goodsId, quantity })),
});

async function body<T>(response: Response): Promise<T> {
  return (await response.json()) as T;
}

describe.each(['sql-atomic', 'for-update', 'reentrant'])('a basket under %s', (strategy) => {
  beforeEach(async () => {
    await shop.reset(1, 10);
    await shop.reset(2, 5);
  });

  test('sells all lines, each as an order', async () => {
    const response = await shop.post(`/orders/${strategy}`, items([2, 1], [1, 3]));
    expect(response.status).toBe(200);
    const { orders } = await body<{ orders: Receipt[] }>(response);
    expect(orders).toMatchObject([
      { goodsId: 1, quantity: 3, remaining: 7, strategy },
      { goodsId: 2, quantity: 1, remaining: 4, strategy },
    ]);
    expect(await shop.audit(1)).toMatchObject({ verdict: 'SAFE', sold: 3 });
    expect(await shop.audit(2)).toMatchObject({ verdict: 'SAFE', sold: 1 });
  });

  test('sells no line when one is sold out, and names it', async () => {
    const response = await shop.post(`/orders/${strategy}`, items([1, 3], [2, 6]));
    expect(response.status).toBe(409);
    expect(await body(response)).toMatchObject({ type: 'sold-out', goodsId: 2 });
    expect(await shop.audit(1)).toMatchObject({ verdict: 'SAFE', sold: 0, remaining: 10 });
    expect(await shop.audit(2)).toMatchObject({ verdict: 'SAFE', sold: 0, remaining: 5 });
  });

  test('sells no line when the last one is sold out after the first one was checked', async () => {
    const other = await labConnection(shop.servers, shop.database);
    const waiting = async () => {
      const [rows] = await other.query(
        "SELECT 1 FROM information_schema.processlist WHERE db = ? AND user = 'lockstock_service' AND info LIKE '%goods%'",
        [shop.database],
      );
      return (rows as unknown[]).length > 0;
    };
    await other.query('START TRANSACTION');
    await other.query('UPDATE goods SET inventory = 0, version = version + 1 WHERE id = 2');
    const answer = shop.post(`/orders/${strategy}`, items([1, 3], [2, 1]));
    try {
      await eventually('the basket waits for the row', waiting);
      await other.query('COMMIT');
    } finally {
      await other.end();
    }
    const response = await answer;
    expect([response.status, await body(response)]).toMatchObject([409, { type: 'sold-out', goodsId: 2 }]);
    expect(await shop.soldOrderIds(1)).toEqual([]);
    expect(await shop.soldOrderIds(2)).toEqual([]);
  });

  test('sells no line when one of the goods does not exist', async () => {
    const response = await shop.post(`/orders/${strategy}`, items([1, 1], [999, 1]));
    expect(await body(response)).toMatchObject({ type: 'unknown-goods', status: 404 });
    expect(await shop.audit(1)).toMatchObject({ sold: 0, remaining: 10 });
  });

  test('sells a key once', async () => {
    const key = { 'idempotency-key': randomUUID() };
    const first = await shop.post(`/orders/${strategy}`, items([1, 1], [2, 2]), key);
    const second = await shop.post(`/orders/${strategy}`, items([2, 2], [1, 1]), key);
    expect(second.headers.get('idempotent-replayed')).toBe('true');
    expect(await body(second)).toEqual(await body(first));
    const other = await shop.post(`/orders/${strategy}`, items([1, 1], [2, 3]), key);
    expect(await body(other)).toMatchObject({ type: 'idempotency-conflict', status: 422 });
    expect(await shop.audit(2)).toMatchObject({ sold: 2, orders: 1 });
  });

  test('baskets that name the same goods in opposite order do not deadlock', async () => {
    await shop.reset(1, 100);
    await shop.reset(2, 100);
    const answers = await Promise.all(
      Array.from({ length: 60 }, (_, i) =>
        shop.post(`/orders/${strategy}`, i % 2 ? items([1, 1], [2, 1]) : items([2, 1], [1, 1])),
      ),
    );
    const sold = answers.filter(({ ok }) => ok).length;
    expect(answers.filter(({ status }) => status !== 200 && status !== 503)).toEqual([]);
    expect(await shop.audit(1)).toMatchObject({ verdict: 'SAFE', sold });
    expect(await shop.audit(2)).toMatchObject({ verdict: 'SAFE', sold });
  });
});

test.each([
  ['no items', { items: [] }],
  ['the same goods twice', items([1, 1], [1, 1])],
  ['a negative quantity', items([1, -1])],
  ['goods as text', { items: [{ goodsId: '1', quantity: 1 }] }],
  ['too many lines', items(...Array.from({ length: 21 }, (_, i): [number, number] => [i + 1, 1]))],
  ['an extra field', { ...items([1, 1]), coupon: 'free' }],
])('a basket with %s is refused', async (_, basket) => {
  expect(await body(await shop.post('/orders/for-update', basket))).toMatchObject({
    type: 'invalid-request',
    status: 400,
  });
});

test('a strategy without baskets refuses one', async () => {
  const response = await shop.post('/orders/cas-version', items([1, 1]));
  expect(await body(response)).toMatchObject({
    type: 'invalid-request',
    detail: expect.stringContaining('deduct/cas-version') as string,
  });
});

describe('cancelling', () => {
  async function soldReceipt(strategy: string, goodsId: number, key?: string) {
    const outcome = await buyPatiently(shop, { strategy, goodsId, ...(key !== undefined && { key }) });
    if (outcome.kind !== 'sold') throw new Error(outcome.kind);
    return outcome.receipt;
  }
  /** Without the admin token of `shop.post`. */
  const cancelAnonymously = (orderId: number, text: object) =>
    fetch(`${shop.url}/orders/${orderId}/cancel`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(text),
    });

  test.each(['for-update', 'redis-lua'])(
    'the receipt of %s has the secret that cancels it, and a replay has the same one',
    async (strategy) => {
      await shop.reset(9, 10);
      const first = await soldReceipt(strategy, 9, `secret-${strategy}`);
      const { orderId, cancelToken } = first;
      expect(cancelToken).toMatch(/^[\w-]{43}$/);
      expect(await soldReceipt(strategy, 9, `secret-${strategy}`)).toEqual(first);
      await shop.settledAudit(9);
      expect(await body(await cancelAnonymously(orderId, { cancelToken }))).toMatchObject({ returned: true });
      expect(await shop.settledAudit(9)).toMatchObject({ verdict: 'SAFE', sold: 0 });
    },
  );

  test('each line of a basket has its own secret', async () => {
    await shop.reset(9, 10);
    await shop.reset(10, 10);
    const items = [9, 10].map((goodsId) => ({ goodsId, quantity: 1 }));
    const answer = await body<{ orders: { orderId: number; cancelToken: string }[] }>(
      await shop.post('/orders/for-update', { items }),
    );
    const [one, two] = answer.orders;
    if (!one || !two) throw new Error('two lines were ordered');
    expect((await cancelAnonymously(one.orderId, two)).status).toBe(400);
    expect((await cancelAnonymously(one.orderId, { cancelToken: two.cancelToken })).status).toBe(401);
    expect((await cancelAnonymously(two.orderId, { cancelToken: two.cancelToken })).status).toBe(200);
  });

  test.each([
    ['a line feed before it', (token: string) => `\n${token}`],
    ['padding', (token: string) => `${token}=`],
    ['a character of another alphabet in it', (token: string) => `${token.slice(0, 9)}*${token.slice(9)}`],
  ])('a secret with %s is another text, so it is refused', async (_, altered) => {
    await shop.reset(9, 10);
    const { orderId, cancelToken } = await soldReceipt('for-update', 9);
    expect((await cancelAnonymously(orderId, { cancelToken: altered(cancelToken) })).status).toBe(401);
    expect((await cancelAnonymously(orderId, { cancelToken })).status).toBe(200);
  });

  test('a scan of all ids cancels nothing, and cannot tell orders that exist from others', async () => {
    await shop.reset(9, 10);
    const { orderId } = await soldReceipt('for-update', 9);
    const { cancelToken } = await soldReceipt('for-update', 9);
    for (const text of [{}, { cancelToken: '' }, { cancelToken: 'x'.repeat(43) }, { cancelToken }]) {
      const answers = await Promise.all(
        [orderId, 123_456_789].map(async (id) => {
          const answer = await cancelAnonymously(id, text);
          return [answer.status, await answer.text()];
        }),
      );
      expect(answers[0]).toEqual(answers[1]);
      expect(answers[0]).toEqual([401, expect.stringContaining('"unauthorized"')]);
    }
    expect(await shop.audit(9)).toMatchObject({ sold: 2, remaining: 8 });
  });

  test('the secret is in no list and no log', async () => {
    await shop.reset(9, 10);
    const { orderId, cancelToken } = await soldReceipt('for-update', 9);
    await cancelAnonymously(orderId, { cancelToken });
    await fetch(`${shop.url}/orders/${orderId}?cancelToken=${cancelToken}`);
    const headers = shop.headers;
    for (const path of ['/goods/9/orders', '/goods/9/audit', '/goods/9'])
      expect(await (await fetch(`${shop.url}${path}`, { headers })).text()).not.toContain(cancelToken);
    const logs = ['instance-1', 'instance-2', 'nginx'].map((name) =>
      readFileSync(shop.folder.in(`logs/${name}.log`), 'utf8'),
    );
    expect(logs.join('')).toContain(`/orders/${orderId}`);
    expect(logs.join('')).not.toContain(cancelToken);
  });

  async function sale(goodsId: number): Promise<number> {
    const outcome = await buyPatiently(shop, { strategy: 'for-update', goodsId, quantity: 2 });
    if (outcome.kind !== 'sold') throw new Error(outcome.kind);
    return outcome.receipt.orderId;
  }

  test('returns the stock once, however often it is requested at the same time', async () => {
    await shop.reset(5, 10);
    const orderId = await sale(5);
    const answers = await Promise.all(
      Array.from({ length: 10 }, () => shop.post(`/orders/${orderId}/cancel`, {})),
    );
    const cancellations = await Promise.all(
      answers.map((answer) => body<{ returnId: number; returned: boolean }>(answer)),
    );
    expect(cancellations.filter(({ returned }) => returned)).toHaveLength(1);
    expect(new Set(cancellations.map(({ returnId }) => returnId)).size).toBe(1);
    expect(await shop.audit(5)).toMatchObject({ verdict: 'SAFE', sold: 0, remaining: 10, orders: 1 });
  });

  test('returned units can be sold again', async () => {
    await shop.reset(6, 2);
    const orderId = await sale(6);
    expect(await buyPatiently(shop, { strategy: 'for-update', goodsId: 6 })).toEqual({ kind: 'sold-out' });
    await shop.post(`/orders/${orderId}/cancel`, {});
    await sale(6);
    expect(await shop.audit(6)).toMatchObject({ verdict: 'SAFE', sold: 2, remaining: 0 });
  });

  test('an order of an ended run cannot be cancelled', async () => {
    await shop.reset(7, 10);
    const orderId = await sale(7);
    await shop.reset(7, 10);
    const response = await shop.post(`/orders/${orderId}/cancel`, {});
    expect(await body(response)).toMatchObject({ type: 'run-ended', status: 409 });
    expect(await shop.audit(7)).toMatchObject({ verdict: 'SAFE', remaining: 10 });
  });

  test.each(['0', '-1', 'abc', '1e3', '99999999999999999999'])('%s is not an order number', async (id) => {
    expect(await body(await shop.post(`/orders/${id}/cancel`, {}))).toMatchObject({
      type: 'invalid-request',
    });
  });

  test('unknown orders, and returns, cannot be cancelled', async () => {
    await shop.reset(8, 10);
    const orderId = await sale(8);
    const { returnId } = await body<{ returnId: number }>(await shop.post(`/orders/${orderId}/cancel`, {}));
    for (const id of [returnId, 123_456_789]) {
      expect(await body(await shop.post(`/orders/${id}/cancel`, {}))).toMatchObject({
        type: 'unknown-order',
        status: 404,
      });
    }
  });
});
