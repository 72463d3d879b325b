import { type StrategyMetadata } from '../../contract/strategy.js';
import { declaredSpecimens, declaredStrategies } from '../../strategies/support/strategy-classes.js';
import { named } from '../named-strategies.js';

/** The strategies and specimens, without a server: a wrong name must be refused before servers start. */
export async function explorableStrategies(): Promise<StrategyMetadata[]> {
  return [...(await declaredStrategies()), ...(await declaredSpecimens())];
}

/** The strategy or specimen of that name. */
export function explorable<S extends StrategyMetadata>(strategies: readonly S[], name: string): S {
  return named(strategies, name);
}
