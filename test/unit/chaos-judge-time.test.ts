import { type ClientAnswer, type Operation } from '../../src/lab/chaos/history.js';
import { broken, cancelled, type ChaosHistory, receipt, sale, SOLD_OUT } from '../support/chaos-history.js';

describe('real time', () => {
  test('an order whose row is before that of an order that had ended earlier', () => {
    const found = broken((history) => {
      const [first, second] = [history.line(), history.line()];
      history.call(sale(), receipt(second), { start: 20, end: 30 });
      history.call(sale(), receipt(first), { start: 40, end: 50 });
    });
    expect(found[0]).toMatch(
      /^order: Order 1 of goods 1 comes before order 2, but its call began only after/,
    );
  });

  test('concurrent calls may have either order', () => {
    const found = broken((history) => {
      const [first, second] = [history.line(), history.line()];
      history.call(sale(), receipt(second), { start: 20, end: 45 });
      history.call(sale(), receipt(first), { start: 40, end: 50 });
    });
    expect(found).toEqual([]);
  });

  /** Orders that Redis accepted: the answer to each, and the time of its call. */
  const inRedis = (...orders: { told: number; start: number; end: number }[]) =>
    broken((history) => {
      for (const [index, { told, start, end }] of orders.entries()) {
        const row = history.line({ strategy: 'redis-lua', number: 1e12 + index, told });
        history.call(sale({ strategy: 'redis-lua' }), receipt(row), { start, end });
      }
      history.redisRemaining = history.stock;
    });

  test('orders that Redis accepted have the order of their receipts', () => {
    const [early, late] = [
      { start: 20, end: 30 },
      { start: 40, end: 50 },
    ];
    expect(inRedis({ told: 3, ...late }, { told: 4, ...early })).toEqual([]);
    expect(inRedis({ told: 3, ...early }, { told: 4, ...late })[0]).toMatch(
      /^order: Order 1000000000001 .* comes before/,
    );
    expect(inRedis({ told: 4, ...early }, { told: 4, ...late })[0]).toMatch(
      /^order: .* left 4, but 4 were there before/,
    );
  });

  test('a sale from a run that had been reset before', () => {
    const found = broken((history) => {
      const late = history.line();
      history.reset(3);
      history.call(sale(), receipt(late));
    });
    expect(found).toEqual([
      expect.stringMatching(/^order: Order 1 of goods 1 belongs to run 1, but its call began after/),
    ]);
  });
});

describe('sold out', () => {
  test('although enough was left during the whole call', () => {
    const found = broken((history) => {
      history.sell({ quantity: 3 });
      history.call(sale({ quantity: 2 }), SOLD_OUT);
    });
    expect(found).toEqual([expect.stringMatching(/^sold-out: Call #3 wanted 2 .* at least 2 were left/)]);
  });

  test('is explained by a concurrent sale, and by a return that was written afterwards', () => {
    const found = broken((history) => {
      const row = history.line({ quantity: 5 });
      history.call(sale({ quantity: 5 }), receipt(row), { start: 20, end: 30 });
      history.call(sale(), SOLD_OUT, { start: 25, end: 40 });
      const back = history.line({ kind: 'RETURN', quantity: 5, cancels: row.id });
      history.call({ do: 'cancel', orderId: row.id }, cancelled(back, true), { start: 35, end: 45 });
    });
    expect(found).toEqual([]);
  });

  test('is explained in Redis by units that another call reserved for a moment', () => {
    const found = broken((history) => {
      history.call(sale({ strategy: 'redis-lua', quantity: 9 }), SOLD_OUT, { start: 20, end: 40 });
      history.call(sale({ strategy: 'redis-lua' }), SOLD_OUT, { start: 30, end: 35 });
    });
    expect(found).toEqual([]);
  });
});

describe('reads', () => {
  test('a stock that was over before the read began', () => {
    const found = broken((history) => {
      history.sell();
      history.call({ do: 'read', goodsId: 1 }, { status: 200, body: { inventory: 5 } });
    });
    expect(found).toEqual(['reads: Call #3 read 5 of goods 1, but only 4 can have been in stock.']);
  });

  test('the stock before or after a sale that is in flight', () => {
    const found = broken((history) => {
      const row = history.line();
      history.call(sale(), receipt(row), { start: 20, end: 30 });
      for (const inventory of [4, 5])
        history.call(
          { do: 'read', goodsId: 1 },
          { status: 200, body: { inventory } },
          { start: 25, end: 40 },
        );
    });
    expect(found).toEqual([]);
  });

  test('a stale list', () => {
    const found = broken((history) => {
      history.reset(3);
      history.call({ do: 'list' }, { status: 200, body: [{ id: 1, inventory: 5 }] });
    });
    expect(found).toEqual(['reads: Call #3 read 5 of goods 1, but only 3 can have been in stock.']);
  });

  test('the cache may be a second old where orders are written later', () => {
    const stale = (age: number) =>
      broken((history) => {
        const row = history.line({ strategy: 'redis-lua', number: 1e12, told: 4 });
        history.call(sale({ strategy: 'redis-lua' }), receipt(row), { start: 20, end: 30 });
        history.redisRemaining = 4;
        const times = { start: 30 + age, end: 40 + age };
        history.call({ do: 'read', goodsId: 1 }, { status: 200, body: { inventory: 5 } }, times);
      });
    expect(stale(900)).toEqual([]);
    expect(stale(20_000)).toHaveLength(1);
  });
});

describe('audits', () => {
  test('a bad verdict in mid-run about a run that is fine', () => {
    const found = broken((history) => {
      history.sell();
      history.call({ do: 'audit', goodsId: 1 }, { status: 200, body: { runId: 1, verdict: 'LOST-UPDATE' } });
    });
    expect(found).toEqual([
      'audits: Audit #3 says LOST-UPDATE for goods 1, but the ledger of that run is in order.',
    ]);
  });

  test('SAFE in the end of a run that is not', () => {
    const found = broken((history) => {
      history.sell();
      const row = history.line({ before: 5, after: 4 });
      history.call(sale(), receipt(row));
    });
    expect(found.at(-1)).toMatch(/^audits: The final audit of goods 1 says SAFE, but: Order 2/);
  });
});

describe('answers', () => {
  test.each([
    ['a sale', sale(), { status: 500 }],
    ['a sale', sale(), { status: 404, type: 'unknown-strategy' }],
    ['a reset', { do: 'reset', goodsId: 1, inventory: 5 }, { status: 401, type: 'unauthorized' }],
    ['a malformed request', { do: 'malformed', kind: 'not JSON' }, { status: 200 }],
  ] as [string, Operation, ClientAnswer][])('%s: %j is answered %j', (_, operation, answer) => {
    const found = broken((history) => history.call(operation, answer));
    expect(found[0]).toMatch(
      new RegExp(`^answers: Call #2 \\(${operation.do}\\) was answered ${answer.status}`),
    );
  });

  test('many lost answers without a fault', () => {
    const lose = (history: ChaosHistory) => {
      for (let n = 0; n < 3; n += 1) history.call(sale(), { status: 502, type: 'outcome-unknown' });
    };
    expect(broken(lose)).toEqual([
      'answers: 3 of 4 calls got no answer, 502 or 504, although there was no fault.',
    ]);
    const beside = broken((history) => {
      history.faults = [{ start: 1, end: 2, what: 'instance-1 was killed and restarted' }];
      lose(history);
    });
    expect(beside).toEqual([]);
  });

  test('a strategy that is not enabled sells, refuses or is listed; an answer 404 is right', () => {
    const no404 = broken((history) => {
      history.call(sale({ strategy: 'mutex' }), { status: 503, type: 'engine-unavailable' });
      history.call(sale({ strategy: 'mutex' }), { status: 422, type: 'idempotency-conflict' });
      history.call({ do: 'strategies' }, { status: 200, body: [{ name: 'sql-atomic' }, { name: 'mutex' }] });
    });
    expect(no404).toEqual([
      'enabled: Call #3 (sell) by mutex, which is not enabled, was answered 422, not 404.',
      'enabled: Call #4 listed mutex, although not enabled.',
    ]);
    const right = broken((history) => {
      history.call(sale({ strategy: 'mutex' }), { status: 404, type: 'unknown-strategy' });
      history.call(sale({ strategy: 'mutex' }), { status: 503, type: 'engine-unavailable' });
      history.call({ do: 'strategies' }, { status: 200, body: [{ name: 'sql-atomic' }] });
    });
    expect(right).toEqual([]);
  });

  test('a strategy that does not sell after the faults', () => {
    expect(broken((history) => history.silent.push('redis-lua'))).toEqual([
      'recovery: redis-lua did not sell after the faults, although all servers were running again.',
    ]);
  });
});

describe('availability', () => {
  const busy = (detail: string): ClientAnswer => ({ status: 503, type: 'busy', body: { detail } });
  const WAITED = busy('The request waited 2000 ms for a database connection of instance-1.');
  const of = (goodsId: number): Operation => ({
    do: 'sell',
    strategy: 'sql-atomic',
    items: [{ goodsId, quantity: 1 }],
  });

  test('the only buyer of a goods is refused as busy beside buyers of another one', () => {
    const tell = (also: number, answer = WAITED) =>
      broken((history) => {
        history.call(of(also), WAITED, { start: 20, end: 50 });
        history.call(of(1), { status: 503, type: 'lock-timeout' }, { start: 20, end: 50 });
        history.call(of(2), answer, { start: 25, end: 45 });
      });
    expect(tell(1)).toEqual([
      'availability: Call #4 wanted goods 2 by sql-atomic and was refused as busy, although no other call was about these goods at that time.',
    ]);
    expect(tell(2)).toEqual([]);
    expect(tell(1, busy('The Redis stock was rebuilt while this order was in flight.'))).toEqual([]);
    expect(tell(1, busy('This instance is overloaded: its event loop is more than 1000 ms behind.'))).toEqual(
      [],
    );
  });

  test('health says that a server is down, and there was no fault', () => {
    const tell = (history: ChaosHistory) => {
      const body = { status: 'unavailable', engines: { mysql: 'down', redis: 'up' } };
      history.call({ do: 'health' }, { status: 503, body });
      history.call({ do: 'health' }, { status: 200, body: { engines: { mysql: 'up' } } });
    };
    expect(broken(tell)).toEqual([
      'availability: Call #2 was told that mysql is down, although there was no fault.',
    ]);
    const faulty = broken((history) => {
      history.faults = [{ start: 1, end: 2, what: 'mariadb was killed and restarted' }];
      tell(history);
    });
    expect(faulty).toEqual([]);
  });
});
