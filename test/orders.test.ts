import { randomUUID } from 'node:crypto';
import { type Receipt } from '../src/goods/receipts.js';
import { buyPatiently } from './support/buyers.js';
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

  test('sells all of it, each line with its own order', async () => {
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

  test('sells nothing of it when one line is sold out, and says which', async () => {
    const response = await shop.post(`/orders/${strategy}`, items([1, 3], [2, 6]));
    expect(response.status).toBe(409);
    expect(await body(response)).toMatchObject({ type: 'sold-out', goodsId: 2 });
    expect(await shop.audit(1)).toMatchObject({ verdict: 'SAFE', sold: 0, remaining: 10 });
    expect(await shop.audit(2)).toMatchObject({ verdict: 'SAFE', sold: 0, remaining: 5 });
  });

  test('sells nothing of it when one of the goods does not exist', async () => {
    const response = await shop.post(`/orders/${strategy}`, items([1, 1], [999, 1]));
    expect(await body(response)).toMatchObject({ type: 'unknown-goods', status: 404 });
    expect(await shop.audit(1)).toMatchObject({ sold: 0, remaining: 10 });
  });

  test('sells once for one key', async () => {
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

test('a strategy for one kind of goods says so', async () => {
  const response = await shop.post('/orders/cas-version', items([1, 1]));
  expect(await body(response)).toMatchObject({
    type: 'invalid-request',
    detail: expect.stringContaining('deduct/cas-version') as string,
  });
});

describe('cancelling', () => {
  async function sale(goodsId: number): Promise<number> {
    const outcome = await buyPatiently(shop, { strategy: 'for-update', goodsId, quantity: 2 });
    if (outcome.kind !== 'sold') throw new Error(outcome.kind);
    return outcome.receipt.orderId;
  }

  test('gives the stock back once, however often and however concurrently it is asked', async () => {
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

  test('what was given back can be sold again', async () => {
    await shop.reset(6, 2);
    const orderId = await sale(6);
    expect(await buyPatiently(shop, { strategy: 'for-update', goodsId: 6 })).toEqual({ kind: 'sold-out' });
    await shop.post(`/orders/${orderId}/cancel`, {});
    await sale(6);
    expect(await shop.audit(6)).toMatchObject({ verdict: 'SAFE', sold: 2, remaining: 0 });
  });

  test('an order of an ended run stays as it is', async () => {
    await shop.reset(7, 10);
    const orderId = await sale(7);
    await shop.reset(7, 10);
    const response = await shop.post(`/orders/${orderId}/cancel`, {});
    expect(await body(response)).toMatchObject({ type: 'run-ended', status: 409 });
    expect(await shop.audit(7)).toMatchObject({ verdict: 'SAFE', remaining: 10 });
  });

  test.each(['0', '-1', 'abc', '1e3', '99999999999999999999'])(
    'order %s is not a number of an order',
    async (id) => {
      expect(await body(await shop.post(`/orders/${id}/cancel`, {}))).toMatchObject({
        type: 'invalid-request',
      });
    },
  );

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
