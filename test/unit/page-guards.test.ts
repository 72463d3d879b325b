import { list, object } from '../../web/client/guards.js';
import { stateOf } from '../../web/display/invariant-state.js';
import { judge } from '../../src/stock/verdict.js';

interface Thing {
  readonly name: string;
  readonly size: number;
  readonly parts: readonly string[];
  readonly nested: { readonly deep: true };
}
const isThing = object<Thing>({ name: 'string', size: 'number', parts: 'array', nested: 'object' });
const thing = { name: 'a', size: 1, parts: [], nested: { deep: true } };

test('a guard accepts an answer of the contract, also with unknown members', () => {
  expect(isThing(thing)).toBe(true);
  expect(isThing({ ...thing, more: 1 })).toBe(true);
  expect(list(isThing)([thing, thing])).toBe(true);
});

test.each([
  undefined,
  null,
  'text',
  [],
  {},
  { ...thing, name: 1 },
  { ...thing, size: '1' },
  { ...thing, parts: {} },
  { ...thing, nested: null },
  { ...thing, nested: [] },
])('a guard refuses %j', (value) => {
  expect(isThing(value)).toBe(false);
  expect(list(isThing)([thing, value])).toBe(false);
});

test('the page recognises an invariant that does not apply', () => {
  const facts = {
    initial: 10,
    remaining: 9,
    inSegments: 0,
    redisRemaining: null,
    sold: 1,
    returned: 0,
    inFlight: 0,
    redisOrders: 0,
    lowestAfter: 9,
    brokenLinks: 1,
    unmatchedReturns: 0,
    duplicateKeys: 0,
    reusedLeases: 0,
    smallestRefused: null,
    brokenPromises: 0,
  };
  const states = Object.fromEntries(judge(facts).invariants.map((one) => [one.name, stateOf(one)]));
  expect(states).toMatchObject({
    'no-oversell': 'holds',
    'conservation-redis': 'notApplicable',
    chain: 'broken',
  });
});
