import { type Audit } from '../../contract/audit.js';
import { type Verdict } from '../../contract/verdict.js';
import { type PurchaseResult } from '../test-bed/purchase.js';

/** How one schedule ended. */
export interface ScheduleOutcome {
  readonly verdict: Verdict;
  readonly initial: number;
  readonly sold: number;
  readonly remaining: number;
  /** Receipts without an order in the ledger. */
  readonly missing: number;
  /** By buyer, what it was told: `sold`, or the type of the refusal. */
  readonly told: Readonly<Record<string, string>>;
}

export function outcomeOf(
  audit: Audit,
  results: ReadonlyMap<string, PurchaseResult>,
  written: ReadonlySet<number>,
): ScheduleOutcome {
  const sold = [...results.values()].flatMap((result) => (result.kind === 'sold' ? result.orderId : []));
  const told = [...results].map(([name, result]) => [
    name,
    result.kind === 'refused' ? result.type : result.kind,
  ]);
  return {
    verdict: audit.verdict,
    initial: audit.initial,
    sold: audit.sold,
    remaining: audit.redisRemaining ?? audit.remaining,
    missing: sold.filter((orderId) => !written.has(orderId)).length,
    told: Object.fromEntries(told) as Record<string, string>,
  };
}

/** The audit is SAFE, and every receipt is in the ledger. */
export function isSafe({ verdict, missing }: ScheduleOutcome): boolean {
  return verdict === 'SAFE' && missing === 0;
}

/** The verdict, or LOST-ORDER when the audit is SAFE and an order is missing. */
export function findingOf(outcome: ScheduleOutcome): string {
  return outcome.verdict === 'SAFE' && outcome.missing > 0 ? 'LOST-ORDER' : outcome.verdict;
}
