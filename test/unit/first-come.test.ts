import { AlreadySold, ClientGone, SoldOut } from '../../src/errors.js';
import { firstCome } from '../../src/stock/first-come.js';
import { type DeductOrder } from '../../src/stock/order.js';

function order(quantity: number, { key, gone = false }: { key?: string; gone?: boolean } = {}): DeductOrder {
  const signal = gone ? AbortSignal.abort() : new AbortController().signal;
  return { goodsId: 1, strategy: 'batch', quantity, idempotencyKey: key, signal };
}

const row = { inventory: 5, runId: 7 };

test('each order meets the stock that the orders before it have left', () => {
  expect(firstCome(row, [order(2), order(3)], new Set())).toEqual([5, 3]);
});

test('a refused order takes nothing, so a smaller one after it is served', () => {
  const [first, larger, smaller] = firstCome(row, [order(3), order(3), order(2)], new Set());
  expect([first, smaller]).toEqual([5, 2]);
  expect(larger).toBeInstanceOf(SoldOut);
});

test('a key sells once: in the run, and in the batch', () => {
  const orders = [order(1, { key: 'old' }), order(1, { key: 'new' }), order(1, { key: 'new' })];
  const [old, first, second] = firstCome(row, orders, new Set(['old']));
  expect(first).toBe(5);
  expect([old, second]).toEqual([expect.any(AlreadySold), expect.any(AlreadySold)]);
});

test('a key whose order was refused may still sell', () => {
  expect(firstCome(row, [order(6, { key: 'k' }), order(5, { key: 'k' })], new Set())[1]).toBe(5);
});

test('an order whose client hung up is left out', () => {
  const [gone, next] = firstCome(row, [order(5, { gone: true }), order(5)], new Set());
  expect(gone).toBeInstanceOf(ClientGone);
  expect(next).toBe(5);
});
