import { type StrategyMetadata } from '../../src/contract/strategy.js';
import { expectationOf } from '../../src/lab/explorer/expectation.js';
import { requirePlayable, scheduleOf, steps } from '../../src/lab/explorer/schedule.js';
import { shown } from '../../src/checkpoints/shown-value.js';

test('a schedule is written with counts, and read in both forms', () => {
  expect(scheduleOf(['A', 'A', 'B', 'B', 'B', 'A'])).toBe('A2 B3 A');
  expect(scheduleOf(['A', 'A@redlock-2', 'expire A', 'B'])).toBe('A A@redlock-2 expire:A B');
  expect(steps('A2 B3 A')).toEqual(['A', 'A', 'B', 'B', 'B', 'A']);
  expect(steps('A A B B B A')).toEqual(steps('A2,B3 A'));
  expect(steps('A expire A@redlock-2')).toEqual(['A', 'expire', 'A@redlock-2']);
  const faults = ['expire A', 'crash B', 'lose A@mysql', 'A', 'A'];
  expect(steps(scheduleOf(faults))).toEqual(faults);
});

test('a schedule with a fault needs that fault, and one of the buyers', () => {
  requirePlayable('A3 expire:A B7 A4', 2, 'expire');
  requirePlayable('A3 expire B7', 2, 'expire-late');
  requirePlayable('A3 lose:A@mysql crash:B', 2, 'any');
  expect(() => {
    requirePlayable('A3 crash:A', 2, 'expire');
  }).toThrow('The schedule has the step crash. Add --faults crash.');
  expect(() => {
    requirePlayable('A3 lose:C@mysql', 2, 'lost-reply');
  }).toThrow('a step of buyer C, but the buyers are A and B');
});

test('a wrong schedule is refused with an example', () => {
  expect(() => steps('A2 then B')).toThrow('"then" is not a step of a schedule. Write buyers');
});

describe('what the metadata promises', () => {
  const strategy = (safe: StrategyMetadata['safe'], ...breaksUnder: string[]): StrategyMetadata => ({
    ...{ name: 'one', family: 'unsafe', lesson: 1, title: '', stock: 'mysql', needs: ['mysql'], teaches: '' },
    ...{ safe, breaksUnder },
  });
  const scenario = { buyers: 2, instances: 2, stock: 1, faults: 'none', allCommands: false } as const;

  test.each([
    ['never', ['concurrency'], {}, 'broken'],
    ['always', ['lost-reply'], { faults: 'expire' }, 'safe'],
    ['one-process', ['several-instances', 'pause'], {}, 'broken'],
    ['one-process', ['several-instances', 'pause'], { instances: 1 }, 'safe'],
    ['while-the-lease-holds', ['pause'], {}, 'safe'],
    ['while-the-lease-holds', ['pause'], { faults: 'expire' }, 'broken'],
    ['while-the-lease-holds', ['pause'], { faults: 'expire-late' }, 'safe'],
    // Not every mistake needs only concurrency.
    ['never', ['stale-replica'], {}, 'safe'],
  ] as const)('safe %s, breaks under %j, %j: %s', (safe, breaksUnder, changes, expected) => {
    expect(expectationOf({ ...scenario, ...changes, strategy: strategy(safe, ...breaksUnder) })).toBe(
      expected,
    );
  });
});

test('a returned value is shown as rows or counts, and never a secret', () => {
  expect(shown('UPDATE goods', { affectedRows: 1, insertId: 0, warningStatus: 0 })).toEqual({
    affectedRows: 1,
  });
  expect(shown('INSERT INTO orders', { affectedRows: 1, insertId: 7 })).toEqual({
    affectedRows: 1,
    insertId: 7,
  });
  expect(shown('SELECT value FROM secrets', [{ value: 'a key' }])).toBe('hidden');
  expect(shown('GET a', undefined)).toBeNull();
  expect(String(shown('GET a', 'x'.repeat(1000)))).toHaveLength(601);
});
