import { type StrategyListing } from '../../../contract/strategy.js';
import { Dice } from './dice.js';
import { FAULT_KINDS, type FaultStep, type Plan, type PlanStep, VICTIMS } from './plan.js';
import { type OperationName, StepMaker, stockOf } from './steps.js';

/** Every fault as a word of the command line, such as `kill-redis`. */
export const FAULTS = FAULT_KINDS.flatMap((kind) => VICTIMS.map((victim) => `${kind}-${victim}` as const));
export type FaultName = (typeof FAULTS)[number];

export const MODES = ['single', 'mixed', 'both'] as const;

/** What a plan may be made of. */
export interface Menu {
  readonly strategies: readonly Pick<StrategyListing, 'name' | 'safe' | 'baskets'>[];
  readonly goods: number;
  readonly clients: number;
  readonly faults: readonly FaultName[];
  /** One strategy for each goods, several at the same time, or now this and now that. */
  readonly mode: (typeof MODES)[number];
  /** Operations that are left out. */
  readonly without: readonly OperationName[];
}

const FAULTY_ROUNDS = 0.5;
const ATTACKED_ROUNDS = 0.15;
/** Attacks, and clients that share keys, have dice of their own: with or without them, the other clients do the same. */
const ATTACK_SEED = 1_000_003;
const KEY_ROUNDS = 0.3;
const KEY_SEED = 2_000_003;
const SAME_STRATEGY_AGAIN = 0.3;

/** The plan of a seed: always the same for the same menu. */
export function generate(seed: number, menu: Menu): Plan {
  const dice = new Dice(seed);
  const faulty = menu.faults.length > 0 && dice.chance(FAULTY_ROUNDS);
  const mixed = menu.mode === 'both' ? dice.chance(0.5) : menu.mode === 'mixed';
  // Under faults a lease may end while its holder is at work: only the others promise to be safe then.
  const strategies = menu.strategies.filter(({ safe }) => !faulty || safe === 'always');
  const goods = deal(dice, dice.shuffled(strategies), menu.goods, mixed);
  const maker = new StepMaker(dice, goods, menu);
  return {
    seed,
    goods: goods.map(({ id, stock, strategies }) => ({
      id,
      stock,
      strategies: strategies.map(({ name }) => name),
    })),
    clients: [
      ...Array.from({ length: menu.clients }, (_, client) => stepsOf(dice, maker, client, faulty)),
      ...keyClientsOf(seed, menu, goods),
      ...attackersOf(seed, menu),
    ],
    lastsMs: faulty ? dice.between(6000, 9000) : 0,
    faults: faulty ? Array.from({ length: dice.between(2, 4) }, () => faultOf(dice, menu.faults)) : [],
  };
}

function stepsOf(dice: Dice, maker: StepMaker, client: number, faulty: boolean): PlanStep[] {
  const steps = Array.from({ length: dice.between(16, 32) }, () => maker.step(client));
  // While faults last, the clients repeat their steps: without a break they would only make the history long.
  return faulty ? steps.flatMap((step) => [step, { do: 'wait' as const, ms: dice.between(5, 60) }]) : steps;
}

/** In some rounds one more client sends nothing but garbage, a few hundred requests per second. */
function attackersOf(seed: number, { without }: Menu): PlanStep[][] {
  const dice = new Dice(seed + ATTACK_SEED);
  if (without.includes('malformed') || !dice.chance(ATTACKED_ROUNDS)) return [];
  const kind = dice.oneOf(['unknown method', 'large headers', 'not HTTP', 'control character']);
  const volley: PlanStep[] = [
    { do: 'malformed', kind, times: 15 },
    { do: 'wait', ms: 50 },
  ];
  return [Array.from({ length: 40 }, () => volley).flat()];
}

/**
 * In some rounds one more client uses its keys as no careful client would: for two purchases and then for a basket of
 * both, and for one purchase by several strategies at once.
 */
function keyClientsOf(seed: number, { without }: Menu, goods: ReturnType<typeof deal>): PlanStep[][] {
  const dice = new Dice(seed + KEY_SEED);
  if (without.includes('reuse') || !dice.chance(KEY_ROUNDS)) return [];
  const steps = Array.from({ length: 12 }, (_, index) => {
    const key = `shared-${index}`;
    return dice.chance(0.5) ? splitBasket(dice, goods, key) : twins(dice, goods, key);
  });
  return [steps.flat()];
}

function splitBasket(dice: Dice, goods: ReturnType<typeof deal>, key: string): PlanStep[] {
  const takers = goods.flatMap(({ strategies }) => strategies.filter(({ baskets }) => baskets));
  if (takers.length === 0) return [];
  const { name: strategy } = dice.oneOf(takers);
  const sellers = goods.filter(({ strategies }) => strategies.some(({ name }) => name === strategy));
  if (sellers.length < 2) return [];
  const two = dice.shuffled(sellers).slice(0, 2);
  const items = two.map(({ id }) => ({ goods: id, quantity: 1 })).sort((a, b) => a.goods - b.goods);
  return [
    ...items.map((item): PlanStep => ({ do: 'sell', ...item, strategy, key })),
    { do: 'basket', strategy, items, key },
  ];
}

function twins(dice: Dice, goods: ReturnType<typeof deal>, key: string): PlanStep[] {
  const mixed = goods.filter(({ strategies }) => strategies.length > 1);
  if (mixed.length === 0) return [];
  const { id, strategies } = dice.oneOf(mixed);
  return [{ do: 'twins', goods: id, strategies: strategies.map(({ name }) => name), quantity: 1, key }];
}

function deal(
  dice: Dice,
  strategies: readonly Menu['strategies'][number][],
  count: number,
  mixed: boolean,
): { id: number; stock: number; strategies: Menu['strategies'] }[] {
  let turn = 0;
  const next = () => strategies.slice(turn % strategies.length, (turn++ % strategies.length) + 1);
  let before: Menu['strategies'] = [];
  return Array.from({ length: count }, (_, index) => {
    const again = before.length > 0 && dice.chance(SAME_STRATEGY_AGAIN);
    const several = mixed ? Math.min(strategies.length, dice.between(2, 4)) : 1;
    before = again ? before : Array.from({ length: several }, next).flat();
    return { id: index + 1, stock: stockOf(dice), strategies: before };
  });
}

function faultOf(dice: Dice, names: readonly FaultName[]): FaultStep {
  const [kind, victim] = dice.oneOf(names).split('-') as [FaultStep['kind'], FaultStep['victim']];
  return {
    afterMs: dice.between(300, 2000),
    kind,
    victim,
    which: dice.between(0, 15),
    ms: kind === 'pause' ? dice.between(200, 3000) : 0,
  };
}
