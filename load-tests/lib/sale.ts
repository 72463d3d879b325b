import type { StrategyListing } from '../../src/contract/strategy.ts';

/** One strategy selling one kind of goods: what is reset, counted and audited. */
export interface Sale {
  /** Its tag on every metric. k6 wants thresholds before the shop can be asked, so sales are numbered, not named. */
  readonly slot: string;
  readonly strategy: Pick<StrategyListing, 'name' | 'safe' | 'baskets'>;
  readonly goodsId: number;
  /** Once it is reset. */
  readonly runId?: number;
}

/** What `setup` hands to everybody, and to the summary in the end. */
export interface Opened {
  readonly startedAt: number;
  readonly sales: readonly Sale[];
  /** Strategies that are left out because their servers are not there. */
  readonly skipped: readonly string[];
}

/** Some of one kind of goods in a purchase. */
export interface Line {
  readonly sale: Sale;
  readonly quantity: number;
}

export function first(sales: readonly Sale[]): Sale {
  const [sale] = sales;
  if (!sale) throw new Error('no sale was opened');
  return sale;
}
