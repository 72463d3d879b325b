import { type StrategyListing } from '../contract/strategy.js';
import { engineMissing } from './engines/missing.js';
import { LabError, UsageError } from './errors.js';

/** For commands that start servers: a wrong name must be refused before they start. */
export async function requireStrategies(names: readonly string[]): Promise<void> {
  if (names.length === 0) return;
  // Loaded on use: it loads Nest and every strategy.
  const { declaredStrategies } = await import('../strategies/support/strategy-classes.js');
  const declared = await declaredStrategies();
  for (const name of names) requireInstalled(named(declared, name));
}

/** The strategy of that name; otherwise the error lists all names. */
export function named<S extends { readonly name: string }>(strategies: Iterable<S>, name: string): S {
  const all = [...strategies];
  const found = all.find((strategy) => strategy.name === name);
  if (found) return found;
  throw new UsageError(
    `There is no strategy ${JSON.stringify(name)}. The strategies are: ${all.map((one) => one.name).join(', ')}.`,
  );
}

export function requireInstalled({ name, needs }: Pick<StrategyListing, 'name' | 'needs'>): void {
  const why = engineMissing(needs);
  if (why !== undefined) throw new LabError(`${name} cannot run on this machine. ${why}`);
}
