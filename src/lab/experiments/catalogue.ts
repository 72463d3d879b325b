import { type StrategyListing } from '../../strategies/registry.js';
import { type Experiment } from './experiment.js';
import { COLUMNS } from './matrix/columns.js';
import { cell } from './matrix/scenario.js';
import { STORIES } from './stories/index.js';

/** Every experiment there is: the cells of the matrix, column by column, and the stories that stand by themselves. */
export function allExperiments(strategies: readonly StrategyListing[]): Experiment[] {
  const cells = COLUMNS.flatMap((column) =>
    strategies
      .filter((strategy) => column.appliesTo(strategy) === true)
      .map((strategy) => cell(column, strategy)),
  );
  return [...cells, ...STORIES];
}

/** Those that a name stands for: one of them, a column, a claim, or all of a strategy. */
export function named(experiments: readonly Experiment[], name: string): Experiment[] {
  return experiments.filter(
    ({ id, fault, strategy, claims }) =>
      id === name || fault === name || strategy === name || claims.includes(name.toUpperCase()),
  );
}
