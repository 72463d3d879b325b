import { type Outcome, outcomeOf, outcomeOfCopies } from '../../load-tests/lib/outcome.ts';
import { breachOf, isHeldToSafety, VERDICTS } from '../../load-tests/lib/promise.ts';
import { VERDICTS as OF_THE_SERVICE } from '../../src/goods/verdict.js';

test.each<[number, unknown, Outcome['kind']]>([
  [200, { orderId: 7 }, 'ok'],
  [200, { orders: [{ orderId: 8 }, { orderId: 9 }] }, 'ok'],
  [200, { orders: [] }, 'unexpected'],
  [200, undefined, 'unexpected'],
  [409, { type: 'sold-out' }, 'sold-out'],
  [409, { type: 'run-ended' }, 'unexpected'],
  [503, { type: 'lock-timeout' }, 'refused'],
  [502, undefined, 'unknown'],
  [504, { type: 'outcome-unknown' }, 'unknown'],
  [0, undefined, 'unknown'],
  [429, { type: 'too-many-requests' }, 'unexpected'],
  [500, null, 'unexpected'],
  [401, { type: 'unauthorized' }, 'unexpected'],
])('%i %j is %s', (status, body, kind) => {
  expect(outcomeOf({ status, body }).kind).toBe(kind);
});

test('an unexpected answer says what it was', () => {
  expect(outcomeOf({ status: 400, body: { type: 'invalid-request' } })).toEqual({
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
      'one that nobody answered may sell later, so sold out does not settle it',
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

test('the verdicts are those of the service', () => {
  expect(VERDICTS).toEqual(OF_THE_SERVICE);
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

test('who promises to be safe is held to it, everybody when strict', () => {
  expect(isHeldToSafety({ safe: 'always' }, false)).toBe(true);
  expect(isHeldToSafety({ safe: 'while-the-lease-holds' }, false)).toBe(true);
  expect(isHeldToSafety({ safe: 'one-process' }, false)).toBe(false);
  expect(isHeldToSafety({ safe: 'never' }, false)).toBe(false);
  expect(isHeldToSafety({ safe: 'never' }, true)).toBe(true);
});
