import { type LoadResult, type RunRecord, type Sample } from '../../src/contract/lab-runs.js';

/** One strategy in one run. Charts and verdicts show one lane, or several next to each other. */
export interface Lane {
  readonly key: string;
  readonly strategy: string;
  /** The strategy, and the time if several runs are compared. */
  readonly label: string;
  /** The initial stock. */
  readonly stock: number;
  readonly requests: number;
  readonly samples: readonly Sample[];
  readonly result: LoadResult | undefined;
  /** Its colour: 1 to 4. */
  readonly hue: number;
}

export const MAX_LANES = 4;

export function lanesOf({ id, config, samples, results }: RunRecord): Lane[] {
  return config.strategies.map((strategy, index) => ({
    key: `${id}:${strategy}`,
    strategy,
    label: strategy,
    stock: config.stock,
    requests: config.requests,
    samples: samples[strategy] ?? [],
    result: results.find((result) => result.strategy === strategy),
    hue: (index % MAX_LANES) + 1,
  }));
}

/** Answers of any kind so far. */
export const answersIn = ({ outcomes }: Sample): number =>
  outcomes.sold + outcomes.soldOut + outcomes.refused + outcomes.unknown;
