import { MALFORMED } from '../run/malformed.js';
import { type SeededRandom } from './seeded-random.js';
import { type Menu } from './generate.js';
import { type PlanStep } from './plan.js';

/** How often each operation occurs. `--without` uses these names. */
const WEIGHTS = {
  sales: 40,
  keys: 14,
  reuse: 8,
  baskets: 6,
  returns: 18,
  'unknown-orders': 1,
  resets: 1.5,
  reads: 10,
  audits: 6,
  overload: 1,
  malformed: 2,
  waits: 3,
};
export type OperationName = keyof typeof WEIGHTS;
export const OPERATIONS = Object.keys(WEIGHTS) as OperationName[];

type KeyedStep = Extract<PlanStep, { do: 'sell' | 'basket' }> & { readonly key: string };

interface GoodsOnSale {
  readonly id: number;
  readonly strategies: Menu['strategies'];
}

/** Makes random steps for clients. It keeps the keys it has used, to use them again. */
export class StepMaker {
  private readonly weights: Readonly<Record<OperationName, number>>;
  private readonly used: KeyedStep[] = [];

  constructor(
    private readonly random: SeededRandom,
    private readonly goods: readonly GoodsOnSale[],
    { without }: Pick<Menu, 'without'>,
  ) {
    const kept = OPERATIONS.map((name) => [name, without.includes(name) ? 0 : WEIGHTS[name]]);
    this.weights = Object.fromEntries(kept) as Record<OperationName, number>;
  }

  step(client: number): PlanStep {
    const { random } = this;
    switch (random.weighted(this.weights)) {
      case 'sales':
        return this.sale();
      case 'keys':
        return this.keyed(client, this.sale());
      case 'reuse':
        return this.reuse();
      case 'baskets':
        return this.basket(client);
      case 'returns':
        return {
          do: 'cancel',
          pick: random.between(0, 1000),
          times: random.weighted({ once: 4, twice: 1 }) === 'once' ? 1 : random.between(2, 4),
          ...(random.chance(0.1) && { forged: true }),
        };
      case 'unknown-orders':
        return { do: 'cancel-unknown', orderId: random.oneOf([999_999_999, 1_999_999_999_999]) };
      case 'resets':
        return { do: 'reset', goods: this.any().id, stock: stockOf(random) };
      case 'reads':
        return this.read();
      case 'audits':
        return { do: 'audit', goods: this.any().id };
      case 'overload': {
        const { goods, strategy } = this.sale();
        return { do: 'burst', goods, strategy, quantity: 1, buyers: random.between(20, 60) };
      }
      case 'malformed':
        return { do: 'malformed', kind: random.oneOf(Object.keys(MALFORMED)), times: random.between(1, 8) };
      case 'waits':
        return { do: 'wait', ms: random.between(1, 60) };
    }
  }

  private any(): GoodsOnSale {
    return this.random.oneOf(this.goods);
  }

  private sale(): Extract<PlanStep, { do: 'sell' }> {
    const { id, strategies } = this.any();
    const { name } = this.random.oneOf(strategies);
    return { do: 'sell', goods: id, strategy: name, quantity: this.quantity() };
  }

  private quantity(): number {
    const { random } = this;
    return random.weighted({ one: 6, few: 3, many: 1 }) === 'one'
      ? 1
      : random.between(1, random.chance(0.2) ? 30 : 4);
  }

  private keyed(client: number, step: Extract<PlanStep, { do: 'sell' | 'basket' }>): KeyedStep {
    const keyed = { ...step, key: `c${client}-${this.used.length}` };
    this.used.push(keyed);
    return keyed;
  }

  /** The same request again, or another one with the same key. */
  private reuse(): PlanStep {
    const { random } = this;
    if (this.used.length === 0) return this.sale();
    const before = random.oneOf(this.used);
    if (before.do === 'basket' || random.chance(0.6)) return before;
    const other = this.sale();
    const changed = random.weighted({ quantity: 2, strategy: 2, goods: 1, basket: 1 });
    if (changed === 'quantity') return { ...before, quantity: before.quantity + 1 };
    const here = this.goods.find(({ id }) => id === before.goods)?.strategies ?? [];
    if (changed === 'strategy') return { ...before, strategy: random.oneOf(here).name };
    if (changed === 'goods') return { ...other, key: before.key };
    const { goods, strategy, quantity, key } = before;
    const takesBaskets = here.some(({ name, baskets }) => name === strategy && baskets);
    return takesBaskets ? { do: 'basket', strategy, items: [{ goods, quantity }], key } : before;
  }

  private basket(client: number): PlanStep {
    const { random } = this;
    const strategies = [...new Set(this.goods.flatMap(({ strategies }) => strategies))];
    const takers = strategies.filter(({ baskets }) => baskets);
    if (takers.length === 0) return this.sale();
    const { name: strategy } = random.oneOf(takers);
    const sellers = this.goods.filter(({ strategies }) => strategies.some(({ name }) => name === strategy));
    const chosen = random.shuffled(sellers).slice(0, random.between(1, 3));
    const items = chosen
      .map(({ id }) => ({ goods: id, quantity: this.quantity() }))
      .sort((a, b) => a.goods - b.goods);
    const basket: PlanStep = { do: 'basket', strategy, items };
    return random.chance(0.5) ? this.keyed(client, basket) : basket;
  }

  private read(): PlanStep {
    const what = this.random.weighted({ one: 8, list: 2, strategies: 1 });
    if (what === 'one') return { do: 'read', goods: this.any().id };
    return { do: what };
  }
}

/** Often small, so that it is sold out soon: most errors occur at the end of the stock. */
export function stockOf(random: SeededRandom): number {
  const size = random.weighted({ tiny: 1, small: 4, large: 5 });
  if (size === 'tiny') return random.between(1, 4);
  return size === 'small' ? random.between(5, 40) : random.between(60, 400);
}
