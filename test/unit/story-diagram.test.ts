import { type Step } from '../../src/contract/evidence.js';
import { unfolded } from '../../src/diagram/folding.js';
import { lettersOf, wordsOf } from '../../src/diagram/words.js';
import { storedStates } from '../../web/display/stored-states.js';

const query = (text: string, answer?: string): Step => ({
  actor: 'instance-1',
  to: 'redis',
  kind: 'query',
  text,
  ...(answer !== undefined && { answer }),
});
const note = (text: string): Step => ({ actor: 'instance-1', kind: 'note', text });

describe('the words at an arrow', () => {
  test.each([
    [
      'A: SELECT inventory, version, run_id AS runId, stock_in AS stockIn FROM goods WHERE id = 1',
      'inventory 1, version 0, runId <run>',
      'A: SELECT inventory, version, … FROM goods → inventory 1, version 0',
    ],
    [
      "A: UPDATE goods SET inventory = 0, version = version + 1, last_writer = 'no-lock' WHERE id = 1 AND run_id = <run> AND stock_in = 'mysql' AND (last_writer = 'no-lock' OR version = 0)",
      '1 row',
      'A: UPDATE goods SET inventory = 0 → 1 row',
    ],
    [
      'A: EVALSHA plain-acquire.lua 2 lockstock:lock:plain:{goods:1} lockstock:lock:plain:{goods:1}:fence owner-A 700',
      'granted',
      'A: plain-acquire.lua owner-A 700 → granted',
    ],
  ])('%s', (text, answer, words) => {
    expect(wordsOf({ text, answer }, 200)).toBe(words);
  });

  test('keep the answer when the command does not fit', () => {
    const words = wordsOf({ text: `A: SET ${'x'.repeat(100)}`, answer: 'OK' }, 30);
    expect(words).toMatch(/^A: SET x+… → OK$/);
    expect(lettersOf(words)).toBeLessThanOrEqual(30);
  });
});

describe('folding', () => {
  const shown = (...steps: readonly Step[]) => unfolded(steps).map((index) => steps[index]?.text);

  test('hides the cache, renewals and blocks of numbers, and no other transaction', () => {
    const cache = [
      'A: MULTI',
      'A: INCR lockstock:{goods:1}:changes',
      'A: DEL lockstock:{goods:1}:page',
      'A: EXEC',
    ];
    const sale = ['A: MULTI', 'A: DECRBY lockstock:{goods:1}:stock 1', 'A: EXEC'];
    const texts = [
      ...cache,
      'A: EVALSHA plain-renew.lua 1 k o 700',
      'A: UPDATE order_numbers SET x',
      ...sale,
    ];
    expect(shown(...texts.map((text) => query(text)))).toEqual(sale);
  });

  test('hides a retry with the same answer, but not the one that succeeds', () => {
    const poll = query('A: SET k o NX', 'nil');
    expect(shown(poll, poll, poll, query('A: SET k o NX', 'OK'))).toEqual(['A: SET k o NX', 'A: SET k o NX']);
  });

  test('keeps what is sent again after something else happened', () => {
    const read = query('A: GET k', '1');
    expect(shown(read, note('B waits'), read)).toHaveLength(3);
  });
});

test('a state lasts until the next one', () => {
  const first = { inventory: 1 };
  const second = { inventory: 0 };
  const steps: Step[] = [
    note('a'),
    { ...note('b'), after: first },
    note('c'),
    { ...note('d'), after: second },
  ];
  expect(storedStates(steps)).toEqual([undefined, first, first, second]);
});
