import { type Outcome, outcomeOf, outcomeOfCopies } from '../../load-tests/lib/outcome.ts';
import { breachOf, isHeldToSafety } from '../../load-tests/lib/promise.ts';
import { VERDICTS } from '../../src/contract/verdict.js';

const receipt = (orderId: number) => ({ orderId, remaining: 1, attempts: 1, waitedMs: 0 });
const problem = (status: number, type: string) => ({ status, type });

test.each<[number, unknown, Outcome['kind']]>([
  [200, { orderId: 7 }, 'unexpected'],
  [200, receipt(7), 'ok'],
  [200, { orders: [receipt(8), receipt(9)] }, 'ok'],
  [200, { orders: [] }, 'unexpected'],
  [200, undefined, 'unexpected'],
  [409, problem(409, 'sold-out'), 'sold-out'],
  [409, problem(409, 'run-ended'), 'unexpected'],
  [503, problem(503, 'lock-timeout'), 'refused'],
  [502, undefined, 'unknown'],
  [504, problem(504, 'outcome-unknown'), 'unknown'],
  [0, undefined, 'unknown'],
  [429, problem(429, 'too-many-requests'), 'unexpected'],
  [500, null, 'unexpected'],
  [401, problem(401, 'unauthorized'), 'unexpected'],
])('%i %j is %s', (status, body, kind) => {
  expect(outcomeOf({ status, body }).kind).toBe(kind);
});

test('the message for an unexpected answer contains it', () => {
  expect(outcomeOf({ status: 400, body: problem(400, 'invalid-request') })).toEqual({
    kind: 'unexpected',
    what: '400 invalid-request',
  });
  expect(outcomeOf({ status: 418, body: 'tea' })).toEqual({ kind: 'unexpected', what: '418' });
});

describe('copies of one purchase', () => {
  const ok = (orderId: number): Outcome => ({ kind: 'ok', orderId });
  const soldOut: Outcome = { kind: 'sold-out' };
  const refused: Outcome = { kind: 'refused' };
  const unknown: Outcome = { kind: 'unknown' };

  test.each<[string, Outcome[], Outcome['kind']]>([
    ['a receipt settles it, whatever the others were told', [refused, unknown, ok(1), soldOut], 'ok'],
    [
      'a call without an answer may sell later, so sold out does not settle it',
      [soldOut, unknown],
      'unknown',
    ],
    ['sold out settles it when all are answered', [refused, soldOut], 'sold-out'],
    ['refused is to come back', [refused, refused], 'refused'],
    ['none at all is unknown', [], 'unknown'],
  ])('%s', (_, copies, kind) => {
    expect(outcomeOfCopies(copies)).toMatchObject({ outcome: { kind }, duplicates: 0 });
  });

  test('two receipts with different orders are a purchase that was sold twice', () => {
    expect(outcomeOfCopies([ok(1), ok(1), refused]).duplicates).toBe(0);
    expect(outcomeOfCopies([ok(1), ok(2), ok(1), ok(3)]).duplicates).toBe(2);
  });
});

test('only SAFE breaches nothing', () => {
  expect(VERDICTS.map(breachOf)).toEqual([
    'oversold',
    'lost_update',
    'leaked',
    'not_safe',
    'not_safe',
    'not_safe',
    'not_safe',
    undefined,
  ]);
});

test('a strategy is judged by its promise; with --strict every strategy must be safe', () => {
  expect(isHeldToSafety({ safe: 'always' }, false)).toBe(true);
  expect(isHeldToSafety({ safe: 'while-the-lease-holds' }, false)).toBe(true);
  expect(isHeldToSafety({ safe: 'one-process' }, false)).toBe(false);
  expect(isHeldToSafety({ safe: 'never' }, false)).toBe(false);
  expect(isHeldToSafety({ safe: 'never' }, true)).toBe(true);
});
