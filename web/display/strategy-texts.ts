import { type StrategyListing } from '../../src/contract/strategy.js';
import { type Texts } from '../texts/en.js';

/** The texts of a strategy are in English; a translation is used if there is one. */
export const titleOf = (t: Texts, { name, title }: Pick<StrategyListing, 'name' | 'title'>): string =>
  t.strategyTexts[name]?.title ?? title;
export const lessonOf = (t: Texts, { name, teaches }: Pick<StrategyListing, 'name' | 'teaches'>): string =>
  t.strategyTexts[name]?.teaches ?? teaches;
export const useWhenOf = (t: Texts, { name, useWhen }: Pick<StrategyListing, 'name' | 'useWhen'>) =>
  t.strategyTexts[name]?.useWhen ?? useWhen;
export const costsOf = (t: Texts, { name, costs }: Pick<StrategyListing, 'name' | 'costs'>) =>
  t.strategyTexts[name]?.costs ?? costs;
export const faultOf = (t: Texts, fault: string): string => t.faults[fault] ?? fault;

/** The last result of each strategy. `runs` are sorted newest first. */
export function latestResults<T extends { readonly strategy: string }>(
  runs: readonly { readonly results: readonly T[] }[],
): ReadonlyMap<string, T> {
  const latest = new Map<string, T>();
  for (const result of runs.flatMap(({ results }) => results)) {
    if (!latest.has(result.strategy)) latest.set(result.strategy, result);
  }
  return latest;
}
