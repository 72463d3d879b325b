import { type LedgerRow } from '../../src/lab/chaos/evidence.js';
import { broken, cancelled, receipt, sale, SOLD_OUT, UNAVAILABLE } from '../support/chaos-history.js';

test('a clean history breaks nothing', () => {
  const found = broken((history) => {
    const first = history.sell({ key: 'key-1' });
    history.call(sale({ key: 'key-1' }), receipt(first, { replayed: true }));
    history.call(sale({ key: 'key-1', quantity: 2 }), { status: 422, type: 'idempotency-conflict' });
    history.call({ do: 'read', goodsId: 1 }, { status: 200, body: { inventory: 4 } });
    const back = history.cancel(first);
    history.call({ do: 'cancel', orderId: first.id }, cancelled(back, false));
    history.call({ do: 'cancel', orderId: 999 }, { status: 404, type: 'unknown-order' });
    history.sell({ quantity: 4 });
    history.call(sale({ quantity: 2 }), SOLD_OUT);
    history.call(sale(), UNAVAILABLE);
    history.call(sale());
    history.line();
    history.call({ do: 'audit', goodsId: 1 }, { status: 200, body: { runId: 1, verdict: 'SAFE' } });
    history.call({ do: 'malformed', kind: 'not JSON' }, { status: 400 });
    history.reset(3);
    history.sell({ key: 'key-1' });
  });
  expect(found).toEqual([]);
});

describe('acknowledged = present', () => {
  test('an acknowledged order that the ledger lacks, and the audit that says SAFE', () => {
    const found = broken((history) => {
      history.sell();
      history.call(sale(), receipt({ ...history.line(), id: 77 }));
      history.ledger.pop();
    });
    expect(found).toEqual([
      'acknowledged: Order 77 (sql-atomic, goods 1) was acknowledged to call #3, but the ledger does not have it.',
      expect.stringMatching(/^audits: The final audit of goods 1 says SAFE, but: Order 77/),
    ]);
  });

  test('an order of another quantity than its receipt', () => {
    const found = broken((history) => {
      const row = history.line({ quantity: 2 });
      history.call(sale(), receipt({ ...row, quantity: 1 }));
    });
    expect(found[0]).toMatch(/^acknowledged: Order 1 .* the ledger says 2 of goods 1/);
  });

  test('a receipt that names another stock than the ledger', () => {
    const found = broken((history) => {
      const row = history.line();
      history.call(sale(), receipt({ ...row, after: 3 }));
    });
    expect(found[0]).toBe(
      'acknowledged: Order 1 (sql-atomic, goods 1): its receipt says 3 left, the ledger 4.',
    );
  });

  test('one order for two buyers', () => {
    const found = broken((history) => {
      const row = history.sell();
      history.call(sale(), receipt(row));
    });
    expect(found[0]).toBe('acknowledged: Order 1 was acknowledged as new to 2 calls (#2, #3).');
  });
});

describe('refused = absent', () => {
  test.each([UNAVAILABLE, SOLD_OUT, { status: 400 }])(
    'a keyed call that was refused with $status has an order',
    (answer) => {
      const found = broken((history) => {
        history.call(sale({ key: 'key-1' }), answer);
        history.line({ key: 'key-1' });
      });
      expect(found[0]).toMatch(
        /^refused: Order 1 .* is in the ledger, but every call that could have made it was refused/,
      );
    },
  );

  test('a replay shows that the refused call before it had sold', () => {
    const found = broken((history) => {
      history.call(sale({ key: 'key-1' }), UNAVAILABLE);
      const row = history.line({ key: 'key-1' });
      history.call(sale({ key: 'key-1' }), receipt(row, { replayed: true }));
    });
    expect(found.map((one) => one.split(':')[0])).toEqual(['refused', 'keys']);
  });

  test('an order without a key that no client was told of and that no unknown outcome explains', () => {
    const found = broken((history) => {
      history.call(sale(), UNAVAILABLE);
      history.line();
    });
    expect(found).toEqual([expect.stringMatching(/^refused: 1 orders of 1 of goods 1 .* only 0 such calls/)]);
  });

  test('two orders for one call with an unknown outcome', () => {
    const found = broken((history) => {
      history.call(sale(), { status: 502, type: 'outcome-unknown' });
      history.line();
      history.line();
    });
    expect(found).toEqual([expect.stringMatching(/^refused: 2 orders .* only 1 such calls/)]);
  });

  test('half a basket', () => {
    const found = broken((history) => {
      const items = [1, 2].map((goodsId) => ({ goodsId, quantity: 1 }));
      history.call({ do: 'basket', strategy: 'sql-atomic', items, key: 'key-1' });
      history.line({ key: 'key-1' });
    });
    expect(found).toEqual([expect.stringMatching(/^refused: Basket #2 .* has 2 lines, but 1 of them/)]);
  });
});

describe('keys', () => {
  test('a key that sold twice', () => {
    const found = broken((history) => {
      history.sell({ key: 'key-1' });
      history.sell({ key: 'key-1' });
    });
    expect(found[0]).toBe('keys: Key key-1 sold goods 1 2 times in one run (orders 1 and 2).');
  });

  test('a replay of a request that no client sent', () => {
    const found = broken((history) => {
      const row = history.sell({ key: 'key-1' });
      const items = [1, 2].map((goodsId) => ({ goodsId, quantity: 1 }));
      const { body } = receipt(row);
      history.call(
        { do: 'basket', strategy: 'sql-atomic', items, key: 'key-1' },
        { status: 200, body: { orders: [body, body] }, replayed: true },
      );
    });
    expect(found.join('\n')).toMatch(
      /keys: Call #3 was answered with a replay, but no call with its key and its body/,
    );
  });

  test('a replay that wrongly says, or does not say, that the order was cancelled', () => {
    const replay = (row: LedgerRow, cancelled: boolean) => {
      const { body } = receipt(row);
      return { status: 200, body: { ...(body as object), ...(cancelled && { cancelled }) }, replayed: true };
    };
    const hidden = broken((history) => {
      const row = history.sell({ key: 'key-1' });
      history.cancel(row);
      history.call(sale({ key: 'key-1' }), replay(row, false));
    });
    expect(hidden).toEqual([
      expect.stringMatching(/^keys: Call #4 .* does not say that the order had been cancelled/),
    ]);
    const madeUp = broken((history) => {
      const row = history.sell({ key: 'key-1' });
      history.call(sale({ key: 'key-1' }), replay(row, true));
    });
    expect(madeUp).toEqual([expect.stringMatching(/^keys: Call #3 says .* no call had asked/)]);
    const told = broken((history) => {
      const row = history.sell({ key: 'key-1' });
      history.cancel(row);
      history.call(sale({ key: 'key-1' }), replay(row, true));
    });
    expect(told).toEqual([]);
  });

  test('422 for a key that was never used for anything else', () => {
    const found = broken((history) => {
      history.call(sale({ key: 'key-1' }), { status: 422, type: 'idempotency-conflict' });
    });
    expect(found).toEqual([expect.stringMatching(/^keys: Call #2 was refused with 422/)]);
  });
});
