import { type Audit } from '../../src/contract/audit.js';
import { type Guarantee } from '../../src/contract/strategy.js';
import { type Verdict, VERDICTS } from '../../src/contract/verdict.js';
import { plan } from '../../src/lab/compare/plan.js';
import { readAnswer } from '../../src/lab/load/answer.js';
import { fairnessOf, jain } from '../../src/lab/load/fairness.js';
import { isFailure, isKept, runVerdict } from '../../src/lab/load/judgement.js';
import { Latencies } from '../../src/lab/load/latencies.js';
import { reconcileReceipts } from '../../src/lab/load/receipt-reconciliation.js';
import { explain } from '../../src/lab/load/texts.js';

const RECEIPT = { orderId: 7, remaining: 3, attempts: 1, waitedMs: 0 };

describe('an answer is sold, sold out, surely nothing, or unknown', () => {
  test.each<[string, number, string, string | undefined, object]>([
    ['a receipt', 200, JSON.stringify(RECEIPT), undefined, { kind: 'sold', receipt: RECEIPT }],
    ['half a receipt', 200, '{"orderId":7', undefined, { kind: 'unknown' }],
    ['another answer', 200, '{"orderId":"7"}', undefined, { kind: 'unknown' }],
    ['nothing', 200, '', undefined, { kind: 'unknown' }],
    ['sold out', 409, '{"type":"sold-out"}', undefined, { kind: 'soldOut' }],
    ['another conflict', 409, '{"type":"run-ended"}', undefined, { kind: 'refused', status: 409 }],
    ['busy', 503, '{"type":"busy"}', '2', { kind: 'refused', type: 'busy', retryAfterMs: 2000 }],
    [
      'busy, without a number in Retry-After',
      503,
      '{"type":"busy"}',
      'soon',
      { kind: 'refused', retryAfterMs: 1000 },
    ],
    ['too many', 429, '{"type":"too-many-requests"}', undefined, { kind: 'refused', retryAfterMs: 1000 }],
    ['not found', 404, '{"type":"unknown-goods"}', undefined, { kind: 'refused', type: 'unknown-goods' }],
    ['the gateway lost the instance', 502, '<html>', undefined, { kind: 'unknown', why: 'status 502' }],
    [
      'no answer in time',
      504,
      '{"type":"outcome-unknown"}',
      undefined,
      { kind: 'unknown', why: 'outcome-unknown' },
    ],
    ['a bug', 500, '{"type":"about:blank"}', undefined, { kind: 'unknown' }],
    ['a redirection', 302, '', undefined, { kind: 'unknown' }],
    ['not an object', 503, 'null', undefined, { kind: 'refused' }],
  ])('%s', (_, status, body, retryAfter, expected) => {
    expect(readAnswer(status, body, retryAfter)).toMatchObject(expected);
  });
});

describe('receipts against the ledger', () => {
  test.each<[string, number[], number[], number, object]>([
    ['agree', [1, 2, 3], [3, 2, 1], 0, { ok: true, missing: 0, unexplained: 0, boughtUnawares: 0 }],
    ['a receipt without an order', [1, 2, 3], [1, 2], 0, { ok: false, missing: 1 }],
    ['two receipts for one order', [1, 2, 2], [1, 2], 0, { ok: false, repeated: 1, missing: 0 }],
    ['an order that nobody knows of', [1], [1, 2], 0, { ok: false, unexplained: 1 }],
    ['an order whose buyer does not know', [1], [1, 2], 1, { ok: true, boughtUnawares: 1 }],
    ['a buyer who does not know and has not bought', [1], [1], 1, { ok: true, boughtUnawares: 0 }],
    ['more orders than doubts', [1], [1, 2, 3], 1, { ok: false, unexplained: 1, boughtUnawares: 1 }],
  ])('%s', (_, told, ledger, unknown, expected) => {
    expect(reconcileReceipts(told, ledger, unknown)).toMatchObject(expected);
  });
});

describe('the judgement', () => {
  const wrong = VERDICTS.filter((verdict) => verdict !== 'SAFE');

  test.each(wrong)('%s fails a strategy that promises to be safe, strictly or not', (verdict) => {
    for (const promise of ['always', 'while-the-lease-holds'] as const) {
      for (const instances of [1, 3]) {
        const run = { verdict, kept: isKept(verdict, promise, instances) };
        expect([isFailure(run, { strict: false }), isFailure(run, { strict: true })]).toEqual([true, true]);
      }
    }
  });

  test.each<[Verdict, Guarantee, number, boolean, boolean]>([
    ['OVERSOLD', 'never', 3, false, true],
    ['OVERSOLD', 'never', 1, false, true],
    ['OVERSOLD', 'one-process', 3, false, true],
    ['OVERSOLD', 'one-process', 1, true, true],
    ['SAFE', 'never', 3, false, false],
    ['SAFE', 'always', 3, false, false],
  ])('%s of a strategy that is safe: %s, on %i', (verdict, promise, instances, fails, failsStrictly) => {
    const run = { verdict, kept: isKept(verdict, promise, instances) };
    expect([isFailure(run, { strict: false }), isFailure(run, { strict: true })]).toEqual([
      fails,
      failsStrictly,
    ]);
  });

  test('a ledger that is consistent but contradicts the receipts is not safe', () => {
    const lost = reconcileReceipts([1, 2], [1], 0);
    expect(runVerdict('SAFE', lost)).toBe('UNMATCHED');
    expect(runVerdict('OVERSOLD', lost)).toBe('OVERSOLD');
    expect(isKept('UNMATCHED', 'always', 3)).toBe(false);
    expect(runVerdict('SAFE', reconcileReceipts([1], [1], 0))).toBe('SAFE');
  });
});

describe('the verdict in words', () => {
  const audit: Audit = {
    verdict: 'SAFE',
    runId: 1,
    initial: 60,
    sold: 60,
    remaining: 0,
    redisRemaining: null,
    inFlight: 0,
    orders: 60,
    oversoldBy: 0,
    invariants: [],
  };
  const inOrder = reconcileReceipts([], [], 0);
  const say = (
    verdict: Verdict | 'UNMATCHED',
    facts: Partial<Audit> = {},
    books = inOrder,
    unknown = 0,
    refused = 0,
  ) => explain({ verdict, audit: { ...audit, ...facts }, books, unknown, refused });

  test('says how many and of how many', () => {
    expect(say('SAFE')).toBe('Exactly the stock was sold: 60 units, each once, and the ledger has no gap.');
    expect(say('SAFE', { sold: 12 })).toMatch('12 units of 60 sold');
    expect(say('OVERSOLD', { sold: 72, oversoldBy: 12 })).toBe(
      '12 units too many were sold: 72 from a stock of 60.',
    );
    expect(say('OVERSOLD', { sold: 61, oversoldBy: 1 })).toMatch('1 unit too many was sold');
    expect(say('LOST-UPDATE', { sold: 40, remaining: 25 })).toMatch('5 units too many were left');
    expect(say('LOST-UPDATE', { sold: 40, remaining: 20 })).toMatch('chance');
    expect(say('LEAKED', { sold: 40, remaining: 15 })).toMatch('5 units disappeared');
    expect(say('LEAKED', { sold: 40, remaining: 20, redisRemaining: 17 })).toMatch('3 units disappeared');
    expect(say('GATE-AHEAD', { redisRemaining: 4, remaining: 1 })).toMatch(
      'still sell 4 units, but MySQL has only 1',
    );
    expect(say('FALSE-SOLD-OUT', { remaining: 1 })).toMatch('although 1 unit was left');
    expect(say('UNMATCHED', {}, reconcileReceipts([1], [], 0))).toMatch(
      '1 buyer has a receipt for orders that the ledger',
    );
    expect(say('UNMATCHED', {}, reconcileReceipts([], [1, 2], 0))).toMatch(
      '2 orders were written that no buyer',
    );
  });

  test('does not keep quiet about doubts and refusals', () => {
    const said = say('SAFE', {}, reconcileReceipts([1], [1, 2], 3), 3, 2);
    expect(said).toMatch('3 buyers do not know the outcome; the ledger has orders for 1 of them.');
    expect(said).toMatch('2 purchases failed without a sale');
  });
});

describe('fairness', () => {
  test('is 1 when all get the same, and 1/n when one gets everything', () => {
    expect(jain([5, 5, 5, 5])).toBe(1);
    expect(jain([20, 0, 0, 0])).toBe(0.25);
    expect(jain([0, 0])).toBe(1);
  });

  test('finds a buyer that starves', () => {
    const even = { sales: 10, purchases: 10, waitedMs: 100 };
    expect(fairnessOf([even, even])).toEqual({ sales: 1, waiting: 1, slowestShare: 1 });
    const { slowestShare, waiting } = fairnessOf([even, { sales: 0, purchases: 1, waitedMs: 1000 }]);
    expect(slowestShare).toBeCloseTo(1 / 5.5);
    expect(waiting).toBeLessThan(0.6);
  });
});

test('latencies keep three digits from microseconds to minutes, and add up', () => {
  const one = new Latencies();
  const other = new Latencies();
  for (let ms = 1; ms <= 100; ms += 1) (ms % 2 ? one : other).record(ms);
  one.add(other);
  expect(one.at(50)).toBeCloseTo(50, 0);
  expect(one.at(99)).toBeCloseTo(99, 0);
  one.record(300_000);
  expect(one.spread.max / 300_000).toBeCloseTo(1, 2);
  expect(new Latencies().spread).toEqual({ mean: 0, p50: 0, p95: 0, p99: 0, max: 0 });
});

test('a comparison measures everything once a round, never twice in the same order', () => {
  const steps = plan({ strategies: ['a', 'b', 'c'], instances: [1, 3], rounds: 2 });
  expect(steps.filter(({ kind }) => kind === 'verdict')).toHaveLength(6);
  const order = (round: number) =>
    steps.flatMap((step) =>
      step.kind === 'verdict' || step.round !== round || step.instances !== 1
        ? []
        : [step.kind === 'noop' ? 'noop' : step.strategy],
    );
  expect(order(1).toSorted()).toEqual(['a', 'b', 'c', 'noop']);
  expect(order(2).toSorted()).toEqual(order(1).toSorted());
  expect(order(2)).not.toEqual(order(1));
});
