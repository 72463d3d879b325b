import { judge, type RunFacts } from '../../src/stock/verdict.js';

/** Ten in stock, four sold, no problem. */
const GOOD: RunFacts = {
  initial: 10,
  remaining: 6,
  inSegments: 0,
  redisRemaining: null,
  brokenPromises: 0,
  sold: 4,
  returned: 0,
  inFlight: 0,
  redisOrders: 0,
  lowestAfter: 6,
  brokenLinks: 0,
  unmatchedReturns: 0,
  duplicateKeys: 0,
  reusedLeases: 0,
  smallestRefused: null,
};

test.each<[string, Partial<RunFacts>, string, string[]]>([
  ['books in order are safe', {}, 'SAFE', []],
  ['an empty run is safe', { remaining: 10, sold: 0, lowestAfter: null }, 'SAFE', []],
  ['a stock of nothing is safe', { initial: 0, remaining: 0, sold: 0, lowestAfter: null }, 'SAFE', []],
  [
    'more sold than there was is oversold, although the stock row says 0',
    { remaining: 0, sold: 12, lowestAfter: 0, brokenLinks: 2 },
    'OVERSOLD',
    ['no-oversell', 'conservation-mysql', 'chain'],
  ],
  [
    'a negative stock is oversold',
    { remaining: -1, sold: 11, lowestAfter: -1 },
    'OVERSOLD',
    ['no-oversell', 'non-negative'],
  ],
  [
    'sales that the stock row does not show are lost updates',
    { remaining: 7, brokenLinks: 1 },
    'LOST-UPDATE',
    ['conservation-mysql', 'chain'],
  ],
  ['stock gone without a sale has leaked', { remaining: 5 }, 'LEAKED', ['conservation-mysql']],
  ['stock on its way is not a leak', { remaining: 5, inFlight: 1 }, 'SAFE', []],
  [
    'stock that left the gate and never reached the ledger has leaked',
    { redisRemaining: 5 },
    'LEAKED',
    ['conservation-redis'],
  ],
  ['orders on their way from the gate are not a leak', { redisRemaining: 5, inFlight: 1 }, 'SAFE', []],
  [
    'a gate that would sell what is not there is ahead',
    { redisRemaining: 8 },
    'GATE-AHEAD',
    ['conservation-redis'],
  ],
  ['a gate that was never used is not judged', { redisRemaining: 10 }, 'SAFE', []],
  [
    'a gate that was used and is full again has forgotten what it sold',
    { redisRemaining: 10, redisOrders: 4 },
    'GATE-AHEAD',
    ['conservation-redis'],
  ],
  [
    'a gate below zero is in order while it is being given back to',
    { remaining: 0, sold: 10, lowestAfter: 0, redisRemaining: -2, inFlight: 2 },
    'SAFE',
    [],
  ],
  ['a gate in step is safe', { redisRemaining: 6 }, 'SAFE', []],
  [
    'stock in segments is not missing from the gate',
    { redisRemaining: 2, inSegments: 4, redisOrders: 4 },
    'SAFE',
    [],
  ],
  [
    'a gate that would sell what is in segments is ahead',
    { redisRemaining: 6, inSegments: 4, redisOrders: 4 },
    'GATE-AHEAD',
    ['conservation-redis'],
  ],
  ['segments do not hide a row below zero', { inSegments: 7 }, 'LOST-UPDATE', ['non-negative']],
  ['two orders for one key are a duplicate', { duplicateKeys: 1 }, 'DUPLICATE', ['one-order-per-key']],
  [
    'a refusal while there was stock is false',
    { smallestRefused: 6 },
    'FALSE-SOLD-OUT',
    ['no-false-sold-out'],
  ],
  ['stock in flight is spoken for', { remaining: 6, inFlight: 3, smallestRefused: 4 }, 'SAFE', []],
  ['a refusal of more than was left is true', { smallestRefused: 7 }, 'SAFE', []],
  [
    'stock that came back after a refusal does not make it false',
    { remaining: 8, sold: 2, returned: 2, smallestRefused: 7 },
    'SAFE',
    [],
  ],
  ['errors that cancel each other out are errors', { brokenLinks: 2 }, 'LOST-UPDATE', ['chain']],
  [
    'a return without its sale is an error, although the sums agree',
    { unmatchedReturns: 1 },
    'LOST-UPDATE',
    ['returns-match-sales'],
  ],
  ['a lease used for two writes is an error', { reusedLeases: 1 }, 'LOST-UPDATE', ['lease-used-once']],
])('%s', (_, facts, verdict, broken) => {
  const judgement = judge({ ...GOOD, ...facts });
  expect(judgement.verdict).toBe(verdict);
  expect(judgement.invariants.filter(({ ok }) => !ok).map(({ name }) => name)).toEqual(broken);
});

test('says by how much was oversold', () => {
  expect(judge({ ...GOOD, sold: 13, remaining: 0 }).oversoldBy).toBe(3);
  expect(judge(GOOD).oversoldBy).toBe(0);
});
