import { type Settings, SettingsError } from '../../config/settings.js';
import { type StrategyMetadata } from '../../contract/strategy.js';

const ALL = 'all';

/**
 * The names of the strategies that the instance offers. Without STRATEGIES these are all, and in production only those
 * that never oversell: the others are lessons, and a shop must not let its clients choose them.
 */
export function switchedOn(
  known: readonly Pick<StrategyMetadata, 'name' | 'safe'>[],
  { strategies, production }: Pick<Settings, 'strategies' | 'production'>,
): ReadonlySet<string> {
  const names = new Set(known.map(({ name }) => name));
  if (strategies === undefined) {
    return production
      ? new Set(known.filter(({ safe }) => safe === 'always').map(({ name }) => name))
      : names;
  }
  if (strategies.includes(ALL)) return names;
  const unknown = strategies.filter((name) => !names.has(name));
  if (unknown.length > 0) {
    throw new SettingsError(
      `Invalid environment:\n  STRATEGIES names ${unknown.join(', ')}, which does not exist. ` +
        `There are: ${[...names].sort().join(', ')}; or all.\nSee .env.example.`,
    );
  }
  return new Set(strategies);
}
