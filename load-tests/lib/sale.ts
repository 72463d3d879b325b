import type { StrategyListing } from '../../src/contract/strategy.ts';

/** A sale of one goods by one strategy. It is reset, counted and audited as a whole. */
export interface Sale {
  /** Its tag on every metric: a number, because k6 needs the thresholds before the strategies are known. */
  readonly slot: string;
  readonly strategy: Pick<StrategyListing, 'name' | 'safe' | 'baskets'>;
  readonly goodsId: number;
  /** Present after the reset. */
  readonly runId?: number;
}

/** What `setup` passes to the virtual users, and to the summary at the end. */
export interface Opened {
  readonly startedAt: number;
  readonly sales: readonly Sale[];
  /** Strategies that are skipped because their servers do not answer. */
  readonly skipped: readonly string[];
}

/** One line of a purchase: a goods and a quantity. */
export interface Line {
  readonly sale: Sale;
  readonly quantity: number;
}

export function first(sales: readonly Sale[]): Sale {
  const [sale] = sales;
  if (!sale) throw new Error('no sale was opened');
  return sale;
}
