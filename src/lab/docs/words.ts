import { type StrategyMetadata } from '../../contract/strategy.js';

/** The titles of the families, as on the page (web/texts/en.ts). */
export const FAMILY_TITLES: Readonly<Record<StrategyMetadata['family'], string>> = {
  unsafe: 'Mistakes',
  process: 'In the process',
  database: 'In the database',
  'redis-stock': 'Stock in Redis',
  'redis-lock': 'Locks in Redis',
  fencing: 'Fencing',
  coordination: 'Coordination services',
  specimen: 'For experiments only',
};

export const PROMISES: Readonly<Record<StrategyMetadata['safe'], string>> = {
  always: 'always',
  'while-the-lease-holds': 'while the lease holds',
  'one-process': 'in one process',
  never: 'never',
};

/** The second promise, in a table. */
export function lossesOf({ losesUnder = [] }: StrategyMetadata): string {
  return losesUnder.length === 0 ? 'always' : `not under ${losesUnder.join(', ')}`;
}

export function guaranteeOf({ safe, losesUnder = [] }: StrategyMetadata): string {
  switch (safe) {
    case 'always':
      return losesUnder.length === 0
        ? 'It never sells more than the stock, on any number of instances, and loses nothing.'
        : `It never sells more than the stock, on any number of instances. It can lose stock or acknowledged orders under ${losesUnder.join(', ')}.`;
    case 'while-the-lease-holds':
      return 'It never sells more than the stock, as long as no holder works for longer than its lease. The lock cannot ensure this. Only a check in the store, in the same statement as the write, stops a late holder.';
    case 'one-process':
      return 'It is correct within one process. A second instance has its own lock, so the two instances do not exclude each other.';
    case 'never':
      return 'None. Two requests at the same time are enough to oversell.';
  }
}

const ENGINES: Readonly<Record<string, string>> = {
  mysql: 'MySQL or MariaDB',
  redis: 'Redis',
  redlock: 'five independent Redis masters',
  zookeeper: 'ZooKeeper',
  nats: 'NATS',
};

export function serversOf({ needs }: StrategyMetadata): string {
  return needs.map((engine) => ENGINES[engine] ?? engine).join(', ');
}

/** Links the strategies that a sentence names. Only names with a hyphen: `fair` is also a plain word. */
export function linked(sentence: string, names: readonly string[]): string {
  const hyphened = names.filter((name) => name.includes('-'));
  return hyphened.length === 0
    ? sentence
    : sentence.replace(new RegExp(`\\b(${hyphened.join('|')})\\b`, 'g'), '[`$1`]($1.md)');
}
