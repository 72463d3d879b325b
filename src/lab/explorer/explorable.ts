import { type StrategyMetadata } from '../../contract/strategy.js';
import { engineMissing } from '../engines/missing.js';
import { named } from '../named-strategies.js';
import { terminal } from '../terminal.js';

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

/** Every strategy whose servers are installed. */
export async function allInstalled(): Promise<string[]> {
  const { declaredStrategies } = await import('../../strategies/support/strategy-classes.js');
  const all = (await declaredStrategies()).filter(({ name, needs }) => {
    const why = engineMissing(needs);
    if (why !== undefined) terminal.say(`${name} is left out. ${why}`);
    return why === undefined;
  });
  return all.map(({ name }) => name);
}
