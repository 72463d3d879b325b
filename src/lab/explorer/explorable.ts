import { type StrategyMetadata } from '../../contract/strategy.js';
import { declaredSpecimens, declaredStrategies } from '../../strategies/support/strategy-classes.js';
import { UsageError } from '../errors.js';
import { named } from '../named-strategies.js';

/** The strategies and specimens, without a server: a wrong name must be refused before servers start. */
export async function explorableStrategies(): Promise<StrategyMetadata[]> {
  return [...(await declaredStrategies()), ...(await declaredSpecimens())];
}

/** The strategy or specimen of that name. */
export function explorable<S extends StrategyMetadata>(strategies: readonly S[], name: string): S {
  const found = named(strategies, name);
  if (found.needs.some((engine) => engine === 'etcd' || engine === 'zookeeper'))
    throw new UsageError(
      `${name} cannot be explored: its commands to ${found.needs.at(-1) ?? ''} are not held yet, only those to MySQL and Redis. ` +
        `\`npx lockstock experiments ${name}\` shows its faults.`,
    );
  return found;
}
