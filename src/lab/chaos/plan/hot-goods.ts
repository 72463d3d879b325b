import { type Menu } from './generate.js';
import { type Plan, type PlanStep } from './plan.js';
import { SeededRandom } from './seeded-random.js';

type PlannedGoods = Plan['goods'][number];

const HOT_ROUNDS = 0.15;
const HOT_SEED = 3_000_003;
/** More than the connections of an instance, so that most of them wait. */
const BUYERS = 120;
const BURSTS = 5;
const VISITS = 60;
/** The number of goods in the catalogue. */
const CATALOGUE = 12;
const QUIET_STOCK = 200;

export interface HotGoods {
  /** A goods that only the visitor buys. */
  readonly goods: readonly PlannedGoods[];
  readonly clients: PlanStep[][];
}

/**
 * In some rounds without faults one more client makes the first goods hot. Another one, the visitor, meanwhile buys a goods
 * that no other client asks for, and asks whether the instances are ready.
 */
export function hotGoodsOf(seed: number, { without }: Menu, planned: readonly PlannedGoods[]): HotGoods {
  const random = new SeededRandom(seed + HOT_SEED);
  const [hot] = planned;
  const id = planned.length + 1;
  if (!hot || id > CATALOGUE || without.includes('overload') || !random.chance(HOT_ROUNDS))
    return { goods: [], clients: [] };
  const strategy = random.oneOf(hot.strategies);
  const burst: PlanStep = { do: 'burst', goods: hot.id, strategy, quantity: 1, buyers: BUYERS };
  const visit: PlanStep[] = [
    { do: 'sell', goods: id, strategy, quantity: 1 },
    { do: 'health' },
    { do: 'wait', ms: 20 },
  ];
  return {
    goods: [{ id, stock: QUIET_STOCK, strategies: [strategy] }],
    clients: [
      Array.from({ length: BURSTS }, () => burst),
      Array.from({ length: VISITS }, () => visit).flat(),
    ],
  };
}
