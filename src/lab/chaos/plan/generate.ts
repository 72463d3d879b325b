import { type StrategyListing } from '../../../contract/strategy.js';
import { SeededRandom } from './seeded-random.js';
import { hotGoodsOf } from './hot-goods.js';
import { FAULT_KINDS, type FaultStep, type Plan, type PlanStep, VICTIMS } from './plan.js';
import { type OperationName, StepMaker, stockOf } from './steps.js';

/** Every fault as a word of the command line, such as `kill-redis`. */
export const FAULTS = FAULT_KINDS.flatMap((kind) => VICTIMS.map((victim) => `${kind}-${victim}` as const));
export type FaultName = (typeof FAULTS)[number];

export const MODES = ['single', 'mixed', 'both'] as const;

/** What a plan may contain. */
export interface Menu {
  readonly strategies: readonly Pick<StrategyListing, 'name' | 'safe' | 'baskets'>[];
  readonly goods: number;
  readonly clients: number;
  readonly faults: readonly FaultName[];
  /** One strategy for each goods, several at the same time, or either at random. */
  readonly mode: (typeof MODES)[number];
  /** Operations that are left out. */
  readonly without: readonly OperationName[];
  /** Strategies that the instances must not offer. */
  readonly disabled?: readonly string[];
}

const FAULTY_ROUNDS = 0.5;
const ATTACKED_ROUNDS = 0.15;
/** Malformed requests, and clients that share keys, have their own seeds: without them, the other clients do the same. */
const ATTACK_SEED = 1_000_003;
const KEY_ROUNDS = 0.3;
const KEY_SEED = 2_000_003;
const SAME_STRATEGY_AGAIN = 0.3;

/** The plan of a seed: always the same for the same menu. */
export function generate(seed: number, menu: Menu): Plan {
  const random = new SeededRandom(seed);
  const faulty = menu.faults.length > 0 && random.chance(FAULTY_ROUNDS);
  const mixed = menu.mode === 'both' ? random.chance(0.5) : menu.mode === 'mixed';
  // Under faults a lease may expire while its holder works, so only strategies that are always safe are used.
  const strategies = menu.strategies.filter(({ safe }) => !faulty || safe === 'always');
  const goods = deal(random, random.shuffled(strategies), menu.goods, mixed);
  const maker = new StepMaker(random, goods, menu);
  const planned = goods.map(({ strategies, ...one }) => ({
    ...one,
    strategies: strategies.map(({ name }) => name),
  }));
  const hot = faulty ? undefined : hotGoodsOf(seed, menu, planned);
  const { disabled = [] } = menu;
  return {
    seed,
    goods: [...planned, ...(hot?.goods ?? [])],
    ...(disabled.length > 0 && { disabled: [...disabled] }),
    clients: [
      ...Array.from({ length: menu.clients }, (_, client) => stepsOf(random, maker, client, faulty)),
      ...keyClientsOf(seed, menu, goods),
      ...attackersOf(seed, menu),
      ...(hot?.clients ?? []),
      ...(disabled.length > 0 ? [triesOf(disabled)] : []),
    ],
    lastsMs: faulty ? random.between(6000, 9000) : 0,
    faults: faulty ? Array.from({ length: random.between(2, 4) }, () => faultOf(random, menu.faults)) : [],
  };
}

function stepsOf(random: SeededRandom, maker: StepMaker, client: number, faulty: boolean): PlanStep[] {
  const steps = Array.from({ length: random.between(16, 32) }, () => maker.step(client));
  // In rounds with faults the clients repeat their steps. Pauses keep the history short.
  return faulty ? steps.flatMap((step) => [step, { do: 'wait' as const, ms: random.between(5, 60) }]) : steps;
}

/** In some rounds one more client sends only malformed requests, a few hundred per second. */
function attackersOf(seed: number, { without }: Menu): PlanStep[][] {
  const random = new SeededRandom(seed + ATTACK_SEED);
  if (without.includes('malformed') || !random.chance(ATTACKED_ROUNDS)) return [];
  const kind = random.oneOf(['unknown method', 'large headers', 'not HTTP', 'control character']);
  const volley: PlanStep[] = [
    { do: 'malformed', kind, times: 15 },
    { do: 'wait', ms: 50 },
  ];
  return [Array.from({ length: 40 }, () => volley).flat()];
}

/**
 * In some rounds one more client misuses its keys: for two purchases and then for a basket of both, and for one purchase by
 * several strategies at once.
 */
function keyClientsOf(seed: number, { without }: Menu, goods: ReturnType<typeof deal>): PlanStep[][] {
  const random = new SeededRandom(seed + KEY_SEED);
  if (without.includes('reuse') || !random.chance(KEY_ROUNDS)) return [];
  const steps = Array.from({ length: 12 }, (_, index) => {
    const key = `shared-${index}`;
    return random.chance(0.5) ? splitBasket(random, goods, key) : twins(random, goods, key);
  });
  return [steps.flat()];
}

function splitBasket(random: SeededRandom, goods: ReturnType<typeof deal>, key: string): PlanStep[] {
  const takers = goods.flatMap(({ strategies }) => strategies.filter(({ baskets }) => baskets));
  if (takers.length === 0) return [];
  const { name: strategy } = random.oneOf(takers);
  const sellers = goods.filter(({ strategies }) => strategies.some(({ name }) => name === strategy));
  if (sellers.length < 2) return [];
  const two = random.shuffled(sellers).slice(0, 2);
  const items = two.map(({ id }) => ({ goods: id, quantity: 1 })).sort((a, b) => a.goods - b.goods);
  return [
    ...items.map((item): PlanStep => ({ do: 'sell', ...item, strategy, key })),
    { do: 'basket', strategy, items, key },
  ];
}

function twins(random: SeededRandom, goods: ReturnType<typeof deal>, key: string): PlanStep[] {
  const mixed = goods.filter(({ strategies }) => strategies.length > 1);
  if (mixed.length === 0) return [];
  const { id, strategies } = random.oneOf(mixed);
  return [{ do: 'twins', goods: id, strategies: strategies.map(({ name }) => name), quantity: 1, key }];
}

/** Purchases and baskets by strategies that are not enabled. */
function triesOf(disabled: readonly string[]): PlanStep[] {
  return disabled.flatMap((strategy): PlanStep[] => [
    { do: 'sell', goods: 1, strategy, quantity: 1 },
    { do: 'basket', strategy, items: [{ goods: 1, quantity: 1 }] },
    { do: 'wait', ms: 20 },
  ]);
}

function deal(
  random: SeededRandom,
  strategies: readonly Menu['strategies'][number][],
  count: number,
  mixed: boolean,
): { id: number; stock: number; strategies: Menu['strategies'] }[] {
  let turn = 0;
  const next = () => strategies.slice(turn % strategies.length, (turn++ % strategies.length) + 1);
  let before: Menu['strategies'] = [];
  return Array.from({ length: count }, (_, index) => {
    const again = before.length > 0 && random.chance(SAME_STRATEGY_AGAIN);
    const several = mixed ? Math.min(strategies.length, random.between(2, 4)) : 1;
    before = again ? before : Array.from({ length: several }, next).flat();
    return { id: index + 1, stock: stockOf(random), strategies: before };
  });
}

function faultOf(random: SeededRandom, names: readonly FaultName[]): FaultStep {
  const [kind, victim] = random.oneOf(names).split('-') as [FaultStep['kind'], FaultStep['victim']];
  return {
    afterMs: random.between(300, 2000),
    kind,
    victim,
    which: random.between(0, 15),
    ms: kind === 'pause' ? random.between(200, 3000) : 0,
  };
}
