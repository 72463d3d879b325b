import { type StrategyListing } from '../../contract/strategy.js';
import { type Experiment } from './experiment.js';
import { COLUMNS } from './matrix/columns.js';
import { cell } from './matrix/scenario.js';
import { STORIES } from './stories/index.js';

/**
 * Every experiment there is: the cells of the matrix, row by row, so that an instance that was killed in one of them can
 * start again during the next; and the stories that stand by themselves.
 */
export function allExperiments(strategies: readonly StrategyListing[]): Experiment[] {
  const cells = strategies.flatMap((strategy) =>
    COLUMNS.filter((column) => column.appliesTo(strategy) === true).map((column) => cell(column, strategy)),
  );
  return [...cells, ...STORIES];
}

/** Those that a name stands for: one of them, a column, a claim, or all of a strategy. */
export function named(experiments: readonly Experiment[], name: string): Experiment[] {
  return experiments.filter(
    ({ id, fault, strategy, claims }) =>
      id === name ||
      fault === name ||
      strategy === name ||
      claims.some((claim) => claim === name.toUpperCase()),
  );
}
