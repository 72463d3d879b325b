import { type Verdict } from '../../goods/verdict.js';
import { type StrategyMetadata } from '../../strategies/strategy.js';
import { type ReceiptReconciliation } from './receipt-reconciliation.js';

/** UNMATCHED: the ledger is in order by itself, but it is not what the buyers were told. */
export type RunVerdict = Verdict;

export type Promised = StrategyMetadata['safe'];

/** The ledger judges; receipts that it does not bear out are an error even where it finds none in itself. */
export function runVerdict(ledger: Verdict, books: ReceiptReconciliation): RunVerdict {
  return ledger === 'SAFE' && !books.ok ? 'UNMATCHED' : ledger;
}

/** Whether the strategy said that it would be safe under load, without any fault, on so many instances. */
export function promisesSafety(promise: Promised, instances: number): boolean {
  switch (promise) {
    case 'always':
    case 'while-the-lease-holds':
      return true;
    case 'one-process':
      return instances === 1;
    case 'never':
      return false;
  }
}

/** False when the verdict is worse than the strategy promised. */
export function isKept(verdict: RunVerdict, promise: Promised, instances: number): boolean {
  return verdict === 'SAFE' || !promisesSafety(promise, instances);
}

/** Whether a run counts as failed: a broken promise does, and strictly, everything but SAFE. */
export function isFailure(
  { verdict, kept }: { readonly verdict: RunVerdict; readonly kept: boolean },
  { strict }: { readonly strict: boolean },
): boolean {
  return strict ? verdict !== 'SAFE' : !kept;
}
