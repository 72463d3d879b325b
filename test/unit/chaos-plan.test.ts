import { isDeepStrictEqual } from 'node:util';
import { groupBy } from '../../src/lab/chaos/judge/group-by.js';
import { generate, FAULTS, type Menu } from '../../src/lab/chaos/plan/generate.js';
import { type Plan, planSchema, sizeOf } from '../../src/lab/chaos/plan/plan.js';
import { shrink } from '../../src/lab/chaos/plan/shrink.js';

const MENU: Menu = {
  strategies: [
    { name: 'sql-atomic', safe: 'always', baskets: true },
    { name: 'named-lock', safe: 'always', baskets: false },
    { name: 'setnx-lua', safe: 'while-the-lease-holds', baskets: false },
  ],
  goods: 4,
  clients: 12,
  faults: FAULTS,
  mode: 'both',
  without: [],
};
const seeds = Array.from({ length: 60 }, (_, seed) => seed);
const plans = seeds.map((seed) => generate(seed, MENU));

function strategiesOf(plan: Plan): string[] {
  return plan.clients.flat().flatMap((step) => ('strategy' in step ? [step.strategy] : []));
}

test('a seed always gives the same plan, also after it was written to a file', () => {
  for (const [seed, plan] of plans.entries()) {
    const text = JSON.stringify(plan);
    expect(JSON.stringify(generate(seed, MENU))).toBe(text);
    // Jest's own comparison of large values takes seconds.
    expect(isDeepStrictEqual(planSchema.parse(JSON.parse(text)), plan)).toBe(true);
  }
});

test('the plans have every operation, every fault and both modes', () => {
  expect([...new Set(plans.flatMap(({ clients }) => clients.flat()).map((step) => step.do))].sort()).toEqual(
    [
      ...['audit', 'basket', 'burst', 'cancel', 'cancel-unknown', 'health', 'list', 'malformed'],
      ...['read', 'reset', 'sell', 'strategies', 'twins', 'wait'],
    ].sort(),
  );
  const faults = plans.flatMap((plan) => plan.faults).map(({ kind, victim }) => `${kind}-${victim}`);
  expect([...new Set(faults)].sort()).toEqual([...FAULTS].sort());
  expect(new Set(plans.map(({ goods }) => goods.some(({ strategies }) => strategies.length > 1))).size).toBe(
    2,
  );
});

test('keys are used again: for the same request, and for another one', () => {
  const steps = generate(1, MENU).clients.flat();
  const keyed = steps.flatMap((step) => ('key' in step && step.key !== undefined ? [[step.key, step]] : []));
  const requests = [...groupBy(keyed, ([key]) => key).values()].map((uses) =>
    uses.map((use) => JSON.stringify(use)),
  );
  expect(requests.some((uses) => uses.length > 1 && new Set(uses).size === 1)).toBe(true);
  expect(requests.some((uses) => new Set(uses).size > 1)).toBe(true);
});

test('rounds with faults use only strategies that are always safe', () => {
  const faulty = plans.filter(({ faults }) => faults.length > 0);
  expect(faulty.length).toBeGreaterThan(10);
  expect(faulty.flatMap(strategiesOf)).not.toContain('setnx-lua');
});

test('with one strategy for each goods, no two strategies sell the same goods', () => {
  for (const seed of seeds) {
    const { goods, clients } = generate(seed, { ...MENU, mode: 'single' });
    const allowed = new Map(goods.map(({ id, strategies }) => [id, strategies.join()]));
    const steps = clients.flat().filter((step) => 'strategy' in step);
    expect(steps.length).toBeGreaterThan(0);
    const wrong = steps.filter(({ strategy, ...step }) => {
      const sold = step.do === 'basket' ? step.items.map((item) => item.goods) : [step.goods];
      return sold.some((id) => allowed.get(id) !== strategy);
    });
    expect(wrong).toEqual([]);
  }
});

test('operations are left out on demand', () => {
  const without = seeds.map((seed) =>
    generate(seed, { ...MENU, without: ['returns', 'resets'], faults: [] }),
  );
  const done = without.flatMap(({ clients }) => clients.flat()).map((step) => step.do);
  expect(done).toContain('sell');
  expect(done).not.toContain('cancel');
  expect(done).not.toContain('reset');
});

test('some rounds include malformed requests', () => {
  const isAttack = (steps: Plan['clients'][number]) =>
    steps.every((step) => ['malformed', 'wait'].includes(step.do));
  const attacked = plans.filter(({ clients }) => clients.some(isAttack));
  expect(attacked.length).toBeGreaterThan(2);
});

test('in some rounds without faults one goods is hot, and only one client buys another one', () => {
  const hot = plans.filter(({ goods }) => goods.length > MENU.goods);
  expect(hot.length).toBeGreaterThan(2);
  expect(hot.flatMap(({ faults }) => faults)).toEqual([]);
  for (const { goods, clients } of hot) {
    const quiet = goods.at(-1)?.id ?? 0;
    const buyers = clients.filter((steps) => steps.some((step) => 'goods' in step && step.goods === quiet));
    expect(buyers).toHaveLength(1);
    expect(clients.some((steps) => steps.every((step) => step.do === 'burst' && step.goods === 1))).toBe(
      true,
    );
  }
});

test('strategies that are not enabled are tried, and sell no goods of the plan', () => {
  const { goods, clients, disabled } = generate(1, { ...MENU, disabled: ['no-lock', 'mutex'] });
  expect(disabled).toEqual(['no-lock', 'mutex']);
  expect(goods.flatMap(({ strategies }) => strategies)).not.toContain('no-lock');
  const tried = clients
    .at(-1)
    ?.flatMap((step) => ('strategy' in step ? [`${step.do} ${step.strategy}`] : []));
  expect(tried).toEqual(['sell no-lock', 'basket no-lock', 'sell mutex', 'basket mutex']);
  expect(generate(1, MENU)).not.toHaveProperty('disabled');
});

test('in some rounds a client shares its keys between purchases, baskets and strategies', () => {
  const clients = plans.flatMap((plan) => plan.clients.slice(MENU.clients));
  const sharing = clients.filter((steps) => steps.some((step) => 'key' in step));
  expect(sharing.length).toBeGreaterThan(2);
  const kinds = new Set(sharing.flat().map((step) => step.do));
  expect([...kinds].sort()).toEqual(['basket', 'sell', 'twins']);
});

describe('shrinking', () => {
  const plan = generate(7, { ...MENU, mode: 'mixed' });
  const never = () => false;

  /** It fails as long as goods 2 is sold by `named-lock` and something is cancelled. */
  const fails = ({ clients }: Plan) => {
    const steps = clients.flat();
    return (
      steps.some((step) => step.do === 'sell' && step.goods === 2 && step.strategy === 'named-lock') &&
      steps.some((step) => step.do === 'cancel')
    );
  };

  test('leaves only what the failure needs', async () => {
    expect(fails(plan)).toBe(true);
    const smallest = await shrink(plan, (candidate) => Promise.resolve(fails(candidate)), never);
    expect(sizeOf(smallest)).toBe(2);
    expect(smallest.goods.map(({ id }) => id)).toEqual([2]);
    expect(smallest.faults).toEqual([]);
  });

  test('ends when its time is over', async () => {
    let plays = 0;
    const count = () => Promise.resolve((plays += 1) > 0);
    await shrink(plan, count, () => plays >= 3);
    expect(plays).toBe(3);
  });

  test('a plan that never fails again stays as it is', async () => {
    expect(await shrink(plan, () => Promise.resolve(false), never)).toEqual(plan);
  });
});
