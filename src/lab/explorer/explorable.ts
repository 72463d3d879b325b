import { type StrategyMetadata } from '../../contract/strategy.js';
import { named } from '../named-strategies.js';

/** The strategies and specimens, without a server: a wrong name must be refused before servers start. */
export async function explorableStrategies(): Promise<StrategyMetadata[]> {
  // Loaded on use: it loads Nest and every strategy.
  const declared = await import('../../strategies/support/strategy-classes.js');
  return [...(await declared.declaredStrategies()), ...(await declared.declaredSpecimens())];
}

/** The strategy or specimen of that name. */
export function explorable<S extends StrategyMetadata>(strategies: readonly S[], name: string): S {
  return named(strategies, name);
}
