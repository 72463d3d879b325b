import { type Fairness } from '../../contract/lab-runs.js';

export interface BuyerTotals {
  readonly sales: number;
  readonly purchases: number;
  readonly waitedMs: number;
}

/** How evenly a crowd was served. */
export function fairnessOf(buyers: readonly BuyerTotals[]): Fairness {
  const served = buyers.filter(({ purchases }) => purchases > 0);
  const purchases = buyers.map((buyer) => buyer.purchases);
  const mean = sum(purchases) / buyers.length;
  return {
    sales: jain(buyers.map((buyer) => buyer.sales)),
    waiting: jain(served.map((buyer) => buyer.waitedMs / buyer.purchases)),
    slowestShare: mean === 0 ? 1 : Math.min(...purchases) / mean,
  };
}

/** Jain's index: (Σx)² / (n·Σx²). If all values are zero, it is 1. */
export function jain(values: readonly number[]): number {
  const squares = sum(values.map((value) => value * value));
  return squares === 0 ? 1 : sum(values) ** 2 / (values.length * squares);
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
