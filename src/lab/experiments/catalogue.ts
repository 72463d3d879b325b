import { type StrategyListing } from '../../contract/strategy.js';
import { type Experiment } from './experiment.js';
import { COLUMNS } from './matrix/columns.js';
import { cell } from './matrix/scenario.js';
import { STORIES } from './stories/index.js';

/**
 * All experiments: the cells of the matrix row by row, so that an instance that one of them killed restarts during the
 * next; then the stories.
 */
export function allExperiments(strategies: readonly StrategyListing[]): Experiment[] {
  const cells = strategies.flatMap((strategy) =>
    COLUMNS.filter((column) => column.appliesTo(strategy) === true).map((column) => cell(column, strategy)),
  );
  return [...cells, ...STORIES];
}

/** The experiments that a name selects: an experiment, a column, a strategy or a claim. */
export function named(experiments: readonly Experiment[], name: string): Experiment[] {
  return experiments.filter(
    ({ id, fault, strategy, claims }) =>
      id === name ||
      fault === name ||
      strategy === name ||
      claims.some((claim) => claim === name.toUpperCase()),
  );
}
