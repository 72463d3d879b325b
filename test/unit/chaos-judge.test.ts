import { type ChaosEvidence, type LedgerRow } from '../../src/lab/chaos/evidence.js';
import { type ClientAnswer, type Call, type Operation } from '../../src/lab/chaos/history.js';
import { judge } from '../../src/lab/chaos/judge/judge.js';

/**
 * A small shop by hand: goods 1 begins run 1 with 5 pieces. Calls follow each other every ten milliseconds unless a
 * test says otherwise; each sale or return adds a line to the ledger.
 */
class Story {
  calls: Call[] = [];
  ledger: LedgerRow[] = [];
  runs = [{ id: 1, goodsId: 1, initial: 5 }];
  faults: ChaosEvidence['faults'] = [];
  verdict = 'SAFE';
  redisRemaining: number | null = null;
  inFlight = 0;
  silent: string[] = [];
  finalStock: number | undefined;
  private clock = 0;

  constructor() {
    this.call({ do: 'reset', goodsId: 1, inventory: 5 }, { status: 200, body: { runId: 1 } });
  }

  get stock(): number {
    const run = this.runs.at(-1);
    return this.ledger.findLast(({ runId }) => runId === run?.id)?.after ?? run?.initial ?? 0;
  }

  call(operation: Operation, answer?: ClientAnswer, times?: { start: number; end: number }): Call {
    const { start, end } = times ?? { start: this.clock + 1, end: this.clock + 9 };
    this.clock = Math.max(this.clock, end) + 1;
    const n = this.calls.length + 1;
    const call: Call = { n, client: 1, operation, start, end, ...(answer && { answer }) };
    this.calls.push(call);
    return call;
  }

  line(change: Partial<LedgerRow> = {}): LedgerRow {
    const row: LedgerRow = {
      id: this.ledger.length + 1,
      kind: 'SALE',
      runId: this.runs.at(-1)?.id ?? 0,
      goodsId: 1,
      strategy: 'sql-atomic',
      quantity: 1,
      key: null,
      before: this.stock,
      after: this.stock - (change.kind === 'RETURN' ? -(change.quantity ?? 1) : (change.quantity ?? 1)),
      cancels: null,
      number: null,
      segment: null,
      told: null,
      ...change,
    };
    this.ledger.push(row);
    return row;
  }

  /** An acknowledged sale of which the ledger has the line. */
  sell({
    key,
    quantity = 1,
    strategy = 'sql-atomic',
  }: { key?: string; quantity?: number; strategy?: string } = {}): LedgerRow {
    const row = this.line({ quantity, strategy, key: key ?? null });
    this.call(sale({ key, quantity, strategy }), receipt(row));
    return row;
  }

  cancel(row: LedgerRow): LedgerRow {
    const back = this.line({ kind: 'RETURN', quantity: row.quantity, cancels: row.id });
    this.call({ do: 'cancel', orderId: row.id }, cancelled(back, true));
    return back;
  }

  reset(inventory: number): void {
    const id = this.runs.length + 1;
    this.runs.push({ id, goodsId: 1, initial: inventory });
    this.call({ do: 'reset', goodsId: 1, inventory }, { status: 200, body: { runId: id } });
  }

  get violations(): string[] {
    const runId = this.runs.at(-1)?.id ?? 0;
    const { redisRemaining, inFlight } = this;
    const audit = { verdict: this.verdict as 'SAFE', runId, redisRemaining, inFlight };
    const evidence: ChaosEvidence = {
      calls: this.calls,
      ledger: this.ledger,
      runs: this.runs,
      finals: [{ goodsId: 1, runId, inventory: this.finalStock ?? this.stock, segments: [], audit }],
      faults: this.faults,
      strategies: [
        { name: 'sql-atomic', safe: 'always', stock: 'mysql' },
        { name: 'setnx-lua', safe: 'while-the-lease-holds', stock: 'mysql' },
        { name: 'redis-lua', safe: 'always', stock: 'redis' },
        { name: 'no-lock', safe: 'never', stock: 'mysql' },
      ],
      silent: this.silent,
    };
    return judge(evidence).violations.map(({ promise, sentence }) => `${promise}: ${sentence}`);
  }
}

function sale(of: { key?: string | undefined; quantity?: number; strategy?: string } = {}): Operation {
  const { key, quantity = 1, strategy = 'sql-atomic' } = of;
  return { do: 'sell', strategy, items: [{ goodsId: 1, quantity }], key };
}

function receipt(row: LedgerRow, more: Partial<ClientAnswer> = {}): ClientAnswer {
  const { id, number, strategy, quantity, after, told } = row;
  const body = { orderId: number ?? id, goodsId: 1, strategy, quantity, remaining: told ?? after };
  return { status: 200, body, ...more };
}

function cancelled({ id, after, quantity, cancels }: LedgerRow, returned: boolean): ClientAnswer {
  return { status: 200, body: { orderId: cancels, returnId: id, quantity, remaining: after, returned } };
}

const SOLD_OUT: ClientAnswer = { status: 409, type: 'sold-out', body: { goodsId: 1 } };
const UNAVAILABLE: ClientAnswer = { status: 503, type: 'engine-unavailable' };

/** What the judge says of the story. */
function broken(tell: (story: Story) => void): string[] {
  const story = new Story();
  tell(story);
  return story.violations;
}

test('a clean history breaks nothing', () => {
  const found = broken((story) => {
    const first = story.sell({ key: 'key-1' });
    story.call(sale({ key: 'key-1' }), receipt(first, { replayed: true }));
    story.call(sale({ key: 'key-1', quantity: 2 }), { status: 422, type: 'idempotency-conflict' });
    story.call({ do: 'read', goodsId: 1 }, { status: 200, body: { inventory: 4 } });
    const back = story.cancel(first);
    story.call({ do: 'cancel', orderId: first.id }, cancelled(back, false));
    story.call({ do: 'cancel', orderId: 999 }, { status: 404, type: 'unknown-order' });
    story.sell({ quantity: 4 });
    story.call(sale({ quantity: 2 }), SOLD_OUT);
    story.call(sale(), UNAVAILABLE);
    story.call(sale());
    story.line();
    story.call({ do: 'audit', goodsId: 1 }, { status: 200, body: { runId: 1, verdict: 'SAFE' } });
    story.call({ do: 'malformed', kind: 'not JSON' }, { status: 400 });
    story.reset(3);
    story.sell({ key: 'key-1' });
  });
  expect(found).toEqual([]);
});

describe('acknowledged = present', () => {
  test('an acknowledged order that the ledger lacks, and the audit that says SAFE', () => {
    const found = broken((story) => {
      story.sell();
      story.call(sale(), receipt({ ...story.line(), id: 77 }));
      story.ledger.pop();
    });
    expect(found).toEqual([
      'acknowledged: Order 77 (sql-atomic, goods 1) was acknowledged to call #3, but the ledger does not have it.',
      expect.stringMatching(/^audits: The final audit of goods 1 says SAFE, but: Order 77/),
    ]);
  });

  test('an order of another quantity than its receipt', () => {
    const found = broken((story) => {
      const row = story.line({ quantity: 2 });
      story.call(sale(), receipt({ ...row, quantity: 1 }));
    });
    expect(found[0]).toMatch(/^acknowledged: Order 1 .* the ledger says 2 of goods 1/);
  });

  test('a receipt that names another stock than the ledger', () => {
    const found = broken((story) => {
      const row = story.line();
      story.call(sale(), receipt({ ...row, after: 3 }));
    });
    expect(found[0]).toBe(
      'acknowledged: Order 1 (sql-atomic, goods 1): its receipt says 3 left, the ledger 4.',
    );
  });

  test('one order for two buyers', () => {
    const found = broken((story) => {
      const row = story.sell();
      story.call(sale(), receipt(row));
    });
    expect(found[0]).toBe('acknowledged: Order 1 was acknowledged as new to 2 calls (#2, #3).');
  });
});

describe('refused = absent', () => {
  test.each([UNAVAILABLE, SOLD_OUT, { status: 400 }])(
    'a keyed call that was refused with $status has an order',
    (answer) => {
      const found = broken((story) => {
        story.call(sale({ key: 'key-1' }), answer);
        story.line({ key: 'key-1' });
      });
      expect(found[0]).toMatch(
        /^refused: Order 1 .* is in the ledger, but every call that could have made it was refused/,
      );
    },
  );

  test('a replay shows that the refused call before it had sold', () => {
    const found = broken((story) => {
      story.call(sale({ key: 'key-1' }), UNAVAILABLE);
      const row = story.line({ key: 'key-1' });
      story.call(sale({ key: 'key-1' }), receipt(row, { replayed: true }));
    });
    expect(found.map((one) => one.split(':')[0])).toEqual(['refused', 'keys']);
  });

  test('an order without a key that no client was told of and that no unknown outcome explains', () => {
    const found = broken((story) => {
      story.call(sale(), UNAVAILABLE);
      story.line();
    });
    expect(found).toEqual([expect.stringMatching(/^refused: 1 orders of 1 of goods 1 .* only 0 such calls/)]);
  });

  test('two orders for one call with an unknown outcome', () => {
    const found = broken((story) => {
      story.call(sale(), { status: 502, type: 'outcome-unknown' });
      story.line();
      story.line();
    });
    expect(found).toEqual([expect.stringMatching(/^refused: 2 orders .* only 1 such calls/)]);
  });

  test('half a basket', () => {
    const found = broken((story) => {
      const items = [1, 2].map((goodsId) => ({ goodsId, quantity: 1 }));
      story.call({ do: 'basket', strategy: 'sql-atomic', items, key: 'key-1' });
      story.line({ key: 'key-1' });
    });
    expect(found).toEqual([expect.stringMatching(/^refused: Basket #2 .* has 2 lines, but 1 of them/)]);
  });
});

describe('keys', () => {
  test('a key that sold twice', () => {
    const found = broken((story) => {
      story.sell({ key: 'key-1' });
      story.sell({ key: 'key-1' });
    });
    expect(found[0]).toBe('keys: Key key-1 sold goods 1 2 times in one run (orders 1 and 2).');
  });

  test('a replay of a request that was never made', () => {
    const found = broken((story) => {
      const row = story.sell({ key: 'key-1' });
      const items = [1, 2].map((goodsId) => ({ goodsId, quantity: 1 }));
      const { body } = receipt(row);
      story.call(
        { do: 'basket', strategy: 'sql-atomic', items, key: 'key-1' },
        { status: 200, body: { orders: [body, body] }, replayed: true },
      );
    });
    expect(found.join('\n')).toMatch(
      /keys: Call #3 was answered with a replay, but no call with its key and its body/,
    );
  });

  test('a replay that hides, or makes up, that the order was cancelled', () => {
    const replay = (row: LedgerRow, cancelled: boolean) => {
      const { body } = receipt(row);
      return { status: 200, body: { ...(body as object), ...(cancelled && { cancelled }) }, replayed: true };
    };
    const hidden = broken((story) => {
      const row = story.sell({ key: 'key-1' });
      story.cancel(row);
      story.call(sale({ key: 'key-1' }), replay(row, false));
    });
    expect(hidden).toEqual([
      expect.stringMatching(/^keys: Call #4 .* does not say that the order had been cancelled/),
    ]);
    const madeUp = broken((story) => {
      const row = story.sell({ key: 'key-1' });
      story.call(sale({ key: 'key-1' }), replay(row, true));
    });
    expect(madeUp).toEqual([expect.stringMatching(/^keys: Call #3 says .* no call had asked/)]);
    const told = broken((story) => {
      const row = story.sell({ key: 'key-1' });
      story.cancel(row);
      story.call(sale({ key: 'key-1' }), replay(row, true));
    });
    expect(told).toEqual([]);
  });

  test('422 for a key that was never used for anything else', () => {
    const found = broken((story) => {
      story.call(sale({ key: 'key-1' }), { status: 422, type: 'idempotency-conflict' });
    });
    expect(found).toEqual([expect.stringMatching(/^keys: Call #2 was refused with 422/)]);
  });
});

describe('returns', () => {
  test('one sale returned twice', () => {
    const found = broken((story) => {
      const row = story.sell();
      story.cancel(row);
      story.cancel(row);
    });
    expect(found[0]).toMatch(/^returns: The stock of sale 1 was returned 2 times/);
  });

  test('a return that no client requested', () => {
    const found = broken((story) => {
      const row = story.sell();
      story.line({ kind: 'RETURN', cancels: row.id });
    });
    expect(found).toEqual(['returns: Return 2 (1 of goods 1) is in the ledger, but no call asked for it.']);
  });

  test('a return although the cancel was refused', () => {
    const found = broken((story) => {
      const row = story.sell();
      story.line({ kind: 'RETURN', cancels: row.id });
      story.call({ do: 'cancel', orderId: row.id }, UNAVAILABLE);
    });
    expect(found[0]).toMatch(/but every call that asked for it was refused/);
  });

  test('an acknowledged cancel without a return', () => {
    const found = broken((story) => {
      const row = story.sell();
      story.cancel(row);
      story.ledger.pop();
    });
    expect(found[0]).toMatch(/^returns: Cancel #3 of order 1 was acknowledged, but the ledger has no return/);
  });

  test('a cancel with a wrong token that was accepted', () => {
    const found = broken((story) => {
      const row = story.sell();
      const back = story.line({ kind: 'RETURN', cancels: row.id });
      story.call({ do: 'cancel', orderId: row.id, forged: true }, cancelled(back, true));
    });
    expect(found).toContain('returns: Cancel #3 of order 1 was accepted with a wrong token.');
  });

  test('a return that only a call with a wrong token and no answer can have made', () => {
    const found = broken((story) => {
      const row = story.sell();
      story.line({ kind: 'RETURN', cancels: row.id });
      story.call({ do: 'cancel', orderId: row.id, forged: true });
    });
    expect(found).toEqual([
      'returns: Return 2 (1 of goods 1) is in the ledger, but every call that asked for it was refused or had a wrong token.',
    ]);
  });

  test('an acknowledged order that cancel does not know', () => {
    const found = broken((story) => {
      const { id } = story.sell();
      story.call({ do: 'cancel', orderId: id }, { status: 404, type: 'unknown-order' });
    });
    expect(found).toEqual([expect.stringMatching(/^returns: Cancel #3 says that order 1 is unknown/)]);
  });

  test('a cancel that blames a reset that did not happen', () => {
    const found = broken((story) => {
      const { id } = story.sell();
      story.call({ do: 'cancel', orderId: id }, { status: 409, type: 'run-ended' });
    });
    expect(found).toEqual([
      expect.stringMatching(/^returns: Cancel #3 says that the run of order 1 has ended/),
    ]);
  });
});

describe('conservation', () => {
  test('a sale that wrote over a return', () => {
    const found = broken((story) => {
      story.verdict = 'LEAKED';
      const row = story.sell();
      story.cancel(row);
      const late = story.line({ before: 4, after: 3 });
      story.call(sale(), receipt(late));
    });
    expect(found).toEqual([
      'conservation: Order 3 (sql-atomic) of goods 1 began at 4, but RETURN 2 (sql-atomic) before it left 5.',
    ]);
  });

  test('more sold than there was', () => {
    const found = broken((story) => {
      story.verdict = 'OVERSOLD';
      for (let n = 0; n < 6; n += 1) story.sell();
    });
    expect(found[0]).toMatch(/^oversold: Goods 1 was oversold: with order 6 \(sql-atomic\) 6 of 5/);
  });

  test('a stock row that is not what the last line left', () => {
    const found = broken((story) => {
      story.verdict = 'LEAKED';
      story.sell();
      story.finalStock = 3;
    });
    expect(found).toEqual(['conservation: The stock row of goods 1 holds 3, but its last line left 4.']);
  });

  test('a Redis stock that differs from MySQL, once everything has drained', () => {
    const found = broken((story) => {
      story.verdict = 'GATE-AHEAD';
      const row = story.line({ strategy: 'redis-lua', number: 1e12, told: 4 });
      story.call(sale({ strategy: 'redis-lua' }), receipt(row));
      story.redisRemaining = 5;
    });
    expect(found).toEqual(['conservation: Redis holds 5 of goods 1, MySQL 4, with nothing in flight.']);
  });

  test('orders that never arrive', () => {
    const found = broken((story) => {
      story.verdict = 'IN-FLIGHT';
      story.sell();
      story.inFlight = 1;
    });
    expect(found).toEqual(['conservation: Goods 1 did not drain: 1 in flight.']);
  });

  test('is not demanded of a strategy that promises nothing', () => {
    const found = broken((story) => {
      story.verdict = 'OVERSOLD';
      for (let n = 0; n < 6; n += 1) story.sell({ strategy: 'no-lock' });
    });
    expect(found).toEqual([]);
  });

  test('is demanded of a lease without faults, and not beside them', () => {
    const breakChain = (story: Story) => {
      story.verdict = 'LOST-UPDATE';
      story.sell({ strategy: 'setnx-lua' });
      const row = story.line({ strategy: 'setnx-lua', before: 5, after: 4 });
      story.call(sale({ strategy: 'setnx-lua' }), receipt(row));
    };
    expect(broken(breakChain)).toHaveLength(1);
    const beside = broken((story) => {
      story.faults = [{ start: 1, end: 2, what: 'Redis was killed and restarted' }];
      breakChain(story);
    });
    expect(beside).toEqual([]);
  });
});

describe('real time', () => {
  test('an order that stands before one that had ended before it began', () => {
    const found = broken((story) => {
      const [first, second] = [story.line(), story.line()];
      story.call(sale(), receipt(second), { start: 20, end: 30 });
      story.call(sale(), receipt(first), { start: 40, end: 50 });
    });
    expect(found[0]).toMatch(
      /^order: Order 1 of goods 1 comes before order 2, but its call began only after/,
    );
  });

  test('concurrent calls may have either order', () => {
    const found = broken((story) => {
      const [first, second] = [story.line(), story.line()];
      story.call(sale(), receipt(second), { start: 20, end: 45 });
      story.call(sale(), receipt(first), { start: 40, end: 50 });
    });
    expect(found).toEqual([]);
  });

  /** Orders that Redis accepted: what each was told, and when its call was. */
  const inRedis = (...orders: { told: number; start: number; end: number }[]) =>
    broken((story) => {
      for (const [index, { told, start, end }] of orders.entries()) {
        const row = story.line({ strategy: 'redis-lua', number: 1e12 + index, told });
        story.call(sale({ strategy: 'redis-lua' }), receipt(row), { start, end });
      }
      story.redisRemaining = story.stock;
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
    const found = broken((story) => {
      const late = story.line();
      story.reset(3);
      story.call(sale(), receipt(late));
    });
    expect(found).toEqual([
      expect.stringMatching(/^order: Order 1 of goods 1 belongs to run 1, but its call began after/),
    ]);
  });
});

describe('sold out', () => {
  test('although enough was left during the whole call', () => {
    const found = broken((story) => {
      story.sell({ quantity: 3 });
      story.call(sale({ quantity: 2 }), SOLD_OUT);
    });
    expect(found).toEqual([expect.stringMatching(/^sold-out: Call #3 wanted 2 .* at least 2 were left/)]);
  });

  test('is explained by a concurrent sale, and by a return that was written afterwards', () => {
    const found = broken((story) => {
      const row = story.line({ quantity: 5 });
      story.call(sale({ quantity: 5 }), receipt(row), { start: 20, end: 30 });
      story.call(sale(), SOLD_OUT, { start: 25, end: 40 });
      const back = story.line({ kind: 'RETURN', quantity: 5, cancels: row.id });
      story.call({ do: 'cancel', orderId: row.id }, cancelled(back, true), { start: 35, end: 45 });
    });
    expect(found).toEqual([]);
  });

  test('is explained in Redis by what another call has taken for a moment', () => {
    const found = broken((story) => {
      story.call(sale({ strategy: 'redis-lua', quantity: 9 }), SOLD_OUT, { start: 20, end: 40 });
      story.call(sale({ strategy: 'redis-lua' }), SOLD_OUT, { start: 30, end: 35 });
    });
    expect(found).toEqual([]);
  });
});

describe('reads', () => {
  test('a stock that was over before the read began', () => {
    const found = broken((story) => {
      story.sell();
      story.call({ do: 'read', goodsId: 1 }, { status: 200, body: { inventory: 5 } });
    });
    expect(found).toEqual(['reads: Call #3 read 5 of goods 1, but only 4 can have been in stock.']);
  });

  test('either stock while a sale is under way', () => {
    const found = broken((story) => {
      const row = story.line();
      story.call(sale(), receipt(row), { start: 20, end: 30 });
      for (const inventory of [4, 5])
        story.call({ do: 'read', goodsId: 1 }, { status: 200, body: { inventory } }, { start: 25, end: 40 });
    });
    expect(found).toEqual([]);
  });

  test('a stale list', () => {
    const found = broken((story) => {
      story.reset(3);
      story.call({ do: 'list' }, { status: 200, body: [{ id: 1, inventory: 5 }] });
    });
    expect(found).toEqual(['reads: Call #3 read 5 of goods 1, but only 3 can have been in stock.']);
  });

  test('the cache may be a second old where orders are written later', () => {
    const stale = (age: number) =>
      broken((story) => {
        const row = story.line({ strategy: 'redis-lua', number: 1e12, told: 4 });
        story.call(sale({ strategy: 'redis-lua' }), receipt(row), { start: 20, end: 30 });
        story.redisRemaining = 4;
        const times = { start: 30 + age, end: 40 + age };
        story.call({ do: 'read', goodsId: 1 }, { status: 200, body: { inventory: 5 } }, times);
      });
    expect(stale(900)).toEqual([]);
    expect(stale(20_000)).toHaveLength(1);
  });
});

describe('audits', () => {
  test('a bad verdict in mid-run about a run that is fine', () => {
    const found = broken((story) => {
      story.sell();
      story.call({ do: 'audit', goodsId: 1 }, { status: 200, body: { runId: 1, verdict: 'LOST-UPDATE' } });
    });
    expect(found).toEqual([
      'audits: Audit #3 says LOST-UPDATE for goods 1, but the ledger of that run is in order.',
    ]);
  });

  test('SAFE in the end of a run that is not', () => {
    const found = broken((story) => {
      story.sell();
      const row = story.line({ before: 5, after: 4 });
      story.call(sale(), receipt(row));
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
    const found = broken((story) => story.call(operation, answer));
    expect(found[0]).toMatch(
      new RegExp(`^answers: Call #2 \\(${operation.do}\\) was answered ${answer.status}`),
    );
  });

  test('many lost answers without a fault', () => {
    const lose = (story: Story) => {
      for (let n = 0; n < 3; n += 1) story.call(sale(), { status: 502, type: 'outcome-unknown' });
    };
    expect(broken(lose)).toEqual([
      'answers: 3 of 4 calls got no answer, 502 or 504, although there was no fault.',
    ]);
    const beside = broken((story) => {
      story.faults = [{ start: 1, end: 2, what: 'instance-1 was killed and restarted' }];
      lose(story);
    });
    expect(beside).toEqual([]);
  });

  test('a strategy that is not enabled sells, refuses or is listed; an answer 404 is right', () => {
    const no404 = broken((story) => {
      story.call(sale({ strategy: 'mutex' }), { status: 503, type: 'engine-unavailable' });
      story.call(sale({ strategy: 'mutex' }), { status: 422, type: 'idempotency-conflict' });
      story.call({ do: 'strategies' }, { status: 200, body: [{ name: 'sql-atomic' }, { name: 'mutex' }] });
    });
    expect(no404).toEqual([
      'enabled: Call #3 (sell) by mutex, which is not enabled, was answered 422, not 404.',
      'enabled: Call #4 listed mutex, although not enabled.',
    ]);
    const right = broken((story) => {
      story.call(sale({ strategy: 'mutex' }), { status: 404, type: 'unknown-strategy' });
      story.call(sale({ strategy: 'mutex' }), { status: 503, type: 'engine-unavailable' });
      story.call({ do: 'strategies' }, { status: 200, body: [{ name: 'sql-atomic' }] });
    });
    expect(right).toEqual([]);
  });

  test('a strategy that does not sell after the faults', () => {
    expect(broken((story) => story.silent.push('redis-lua'))).toEqual([
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
      broken((story) => {
        story.call(of(also), WAITED, { start: 20, end: 50 });
        story.call(of(1), { status: 503, type: 'lock-timeout' }, { start: 20, end: 50 });
        story.call(of(2), answer, { start: 25, end: 45 });
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
    const tell = (story: Story) => {
      const body = { status: 'unavailable', engines: { mysql: 'down', redis: 'up' } };
      story.call({ do: 'health' }, { status: 503, body });
      story.call({ do: 'health' }, { status: 200, body: { engines: { mysql: 'up' } } });
    };
    expect(broken(tell)).toEqual([
      'availability: Call #2 was told that mysql is down, although there was no fault.',
    ]);
    const faulty = broken((story) => {
      story.faults = [{ start: 1, end: 2, what: 'mariadb was killed and restarted' }];
      tell(story);
    });
    expect(faulty).toEqual([]);
  });
});
