import {
  broken,
  cancelled,
  type ChaosHistory,
  receipt,
  sale,
  UNAVAILABLE,
} from '../support/chaos-history.js';

describe('returns', () => {
  test('one sale returned twice', () => {
    const found = broken((history) => {
      const row = history.sell();
      history.cancel(row);
      history.cancel(row);
    });
    expect(found[0]).toMatch(/^returns: The stock of sale 1 was returned 2 times/);
  });

  test('a return that no client requested', () => {
    const found = broken((history) => {
      const row = history.sell();
      history.line({ kind: 'RETURN', cancels: row.id });
    });
    expect(found).toEqual(['returns: Return 2 (1 of goods 1) is in the ledger, but no call asked for it.']);
  });

  test('a return although the cancel was refused', () => {
    const found = broken((history) => {
      const row = history.sell();
      history.line({ kind: 'RETURN', cancels: row.id });
      history.call({ do: 'cancel', orderId: row.id }, UNAVAILABLE);
    });
    expect(found[0]).toMatch(/but every call that asked for it was refused/);
  });

  test('an acknowledged cancel without a return', () => {
    const found = broken((history) => {
      const row = history.sell();
      history.cancel(row);
      history.ledger.pop();
    });
    expect(found[0]).toMatch(/^returns: Cancel #3 of order 1 was acknowledged, but the ledger has no return/);
  });

  test('a cancel with a wrong token that was accepted', () => {
    const found = broken((history) => {
      const row = history.sell();
      const back = history.line({ kind: 'RETURN', cancels: row.id });
      history.call({ do: 'cancel', orderId: row.id, forged: true }, cancelled(back, true));
    });
    expect(found).toContain('returns: Cancel #3 of order 1 was accepted with a wrong token.');
  });

  test('a return that only a call with a wrong token and no answer can have made', () => {
    const found = broken((history) => {
      const row = history.sell();
      history.line({ kind: 'RETURN', cancels: row.id });
      history.call({ do: 'cancel', orderId: row.id, forged: true });
    });
    expect(found).toEqual([
      'returns: Return 2 (1 of goods 1) is in the ledger, but every call that asked for it was refused or had a wrong token.',
    ]);
  });

  test('an acknowledged order that cannot be cancelled because it is unknown', () => {
    const found = broken((history) => {
      const { id } = history.sell();
      history.call({ do: 'cancel', orderId: id }, { status: 404, type: 'unknown-order' });
    });
    expect(found).toEqual([expect.stringMatching(/^returns: Cancel #3 says that order 1 is unknown/)]);
  });

  test('a cancel that blames a reset that did not happen', () => {
    const found = broken((history) => {
      const { id } = history.sell();
      history.call({ do: 'cancel', orderId: id }, { status: 409, type: 'run-ended' });
    });
    expect(found).toEqual([
      expect.stringMatching(/^returns: Cancel #3 says that the run of order 1 has ended/),
    ]);
  });
});

describe('conservation', () => {
  test('a sale that wrote over a return', () => {
    const found = broken((history) => {
      history.verdict = 'LEAKED';
      const row = history.sell();
      history.cancel(row);
      const late = history.line({ before: 4, after: 3 });
      history.call(sale(), receipt(late));
    });
    expect(found).toEqual([
      'conservation: Order 3 (sql-atomic) of goods 1 began at 4, but RETURN 2 (sql-atomic) before it left 5.',
    ]);
  });

  test('more sold than there was', () => {
    const found = broken((history) => {
      history.verdict = 'OVERSOLD';
      for (let n = 0; n < 6; n += 1) history.sell();
    });
    expect(found[0]).toMatch(/^oversold: Goods 1 was oversold: with order 6 \(sql-atomic\) 6 of 5/);
  });

  test('a stock row that differs from the last row of the ledger', () => {
    const found = broken((history) => {
      history.verdict = 'LEAKED';
      history.sell();
      history.finalStock = 3;
    });
    expect(found).toEqual(['conservation: The stock row of goods 1 holds 3, but its last line left 4.']);
  });

  test('a Redis stock that differs from MySQL, once everything has drained', () => {
    const found = broken((history) => {
      history.verdict = 'GATE-AHEAD';
      const row = history.line({ strategy: 'redis-lua', number: 1e12, told: 4 });
      history.call(sale({ strategy: 'redis-lua' }), receipt(row));
      history.redisRemaining = 5;
    });
    expect(found).toEqual(['conservation: Redis holds 5 of goods 1, MySQL 4, with nothing in flight.']);
  });

  test('orders that never arrive', () => {
    const found = broken((history) => {
      history.verdict = 'IN-FLIGHT';
      history.sell();
      history.inFlight = 1;
    });
    expect(found).toEqual(['conservation: Goods 1 did not drain: 1 in flight.']);
  });

  test('is not demanded of a strategy that promises nothing', () => {
    const found = broken((history) => {
      history.verdict = 'OVERSOLD';
      for (let n = 0; n < 6; n += 1) history.sell({ strategy: 'no-lock' });
    });
    expect(found).toEqual([]);
  });

  test('is required of a lease without faults, and not with faults', () => {
    const breakChain = (history: ChaosHistory) => {
      history.verdict = 'LOST-UPDATE';
      history.sell({ strategy: 'setnx-lua' });
      const row = history.line({ strategy: 'setnx-lua', before: 5, after: 4 });
      history.call(sale({ strategy: 'setnx-lua' }), receipt(row));
    };
    expect(broken(breakChain)).toHaveLength(1);
    const beside = broken((history) => {
      history.faults = [{ start: 1, end: 2, what: 'Redis was killed and restarted' }];
      breakChain(history);
    });
    expect(beside).toEqual([]);
  });
});
