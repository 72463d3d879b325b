import { type ReceiptReconciliation } from '../../contract/lab-runs.js';
import { type Guarantee } from '../../contract/strategy.js';
import { type Verdict } from '../../contract/verdict.js';

/** The audit judges the ledger; receipts that do not match the ledger are an error of their own. */
export function runVerdict(ledger: Verdict, books: ReceiptReconciliation): Verdict {
  return ledger === 'SAFE' && !books.ok ? 'UNMATCHED' : ledger;
}

/** Whether the strategy promises safety under load without a fault on this many instances. */
export function promisesSafety(promise: Guarantee, instances: number): boolean {
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
export function isKept(verdict: Verdict, promise: Guarantee, instances: number): boolean {
  return verdict === 'SAFE' || !promisesSafety(promise, instances);
}

/** Whether a run counts as failed: a broken promise does; with `strict`, every verdict but SAFE does. */
export function isFailure(
  { verdict, kept }: { readonly verdict: Verdict; readonly kept: boolean },
  { strict }: { readonly strict: boolean },
): boolean {
  return strict ? verdict !== 'SAFE' : !kept;
}
