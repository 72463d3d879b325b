import { type LoadResult, type RunRecord, type Sample } from '../../src/contract/lab-runs.js';

/** What one strategy did in one run: the unit that charts and verdicts show, alone or beside others. */
export interface Lane {
  readonly key: string;
  readonly strategy: string;
  /** What tells it from the others: the strategy, and the time where several runs are compared. */
  readonly label: string;
  /** What there was to sell. */
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
