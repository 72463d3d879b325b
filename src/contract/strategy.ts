/** The folders of `src/strategies`, in reading order. */
export const FAMILIES = [
  'unsafe',
  'process',
  'database',
  'redis-stock',
  'redis-lock',
  'fencing',
  'coordination',
  /** Strategies of experiments only; see `src/specimens`. */
  'specimen',
] as const;
export type Family = (typeof FAMILIES)[number];

/** When a strategy never oversells. */
export type Guarantee = 'always' | 'while-the-lease-holds' | 'one-process' | 'never';

/** The servers that a strategy can need. */
export type NeededEngine = 'mysql' | 'redis' | 'redlock' | 'etcd' | 'zookeeper';

/** What the file of a strategy declares. */
export interface StrategyMetadata {
  /** Its name in the URL. */
  readonly name: string;
  readonly family: Family;
  /** The place in the reading order of the family. */
  readonly lesson: number;
  readonly title: string;
  /** Where the stock is counted. */
  readonly stock: 'mysql' | 'redis';
  readonly needs: readonly NeededEngine[];
  readonly safe: Guarantee;
  /** Faults, by their names in `fault.ts`, under which the strategy oversells, loses stock or sells twice. */
  readonly breaksUnder: readonly string[];
  /** The faults in `breaksUnder` that lose stock or an acknowledged order, and do not oversell. */
  readonly losesUnder?: readonly string[];
  /** The lesson, in a sentence. */
  readonly teaches: string;
  /** When to choose it, in a sentence. Specimens have none. */
  readonly useWhen?: string;
  /** Its price, in a sentence. */
  readonly costs?: string;
}

/** Three promises, because they fail under different faults; docs/promises.md defines them. */
export interface Promises {
  readonly neverOversells: { readonly holds: Guarantee; readonly unless: readonly string[] };
  /** No acknowledged sale and no unit of stock is lost. */
  readonly losesNothing: { readonly unless: readonly string[] };
  /** A client that repeats a request without an Idempotency-Key after a lost answer buys once. */
  readonly sellsOnce: { readonly unless: readonly string[] };
}

/** One entry of `GET /strategies`. */
export interface StrategyListing extends StrategyMetadata {
  readonly promises: Promises;
  /** Whether it sells several goods in one order. */
  readonly baskets: boolean;
  /** Whether the servers it needs are configured and up. */
  readonly available: boolean;
}

/** The files and the transcript of one strategy, as the build writes them for the page. */
export interface Lesson {
  readonly files: readonly { readonly path: string; readonly text: string }[];
  readonly transcript: string | null;
  /** The commands of one sale with their answers. */
  readonly sale: readonly SaleCommand[];
}

export interface SaleCommand {
  /** The server that got it. */
  readonly server: string;
  readonly text: string;
  readonly answer: string;
}
