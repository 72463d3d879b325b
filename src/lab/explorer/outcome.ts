import { type Audit } from '../../contract/audit.js';
import { type SessionOutcome } from '../../contract/lab-sessions.js';
import { type PurchaseResult } from '../test-bed/purchase.js';

/** How one schedule ended. */
export interface ScheduleOutcome extends Omit<SessionOutcome, 'finding'> {
  /** By buyer, what it was told: `sold`, or the type of the refusal. */
  readonly told: Readonly<Record<string, string>>;
}

export function outcomeOf(
  audit: Audit,
  results: ReadonlyMap<string, PurchaseResult>,
  written: ReadonlySet<number>,
  /** The buyer that asked again, and the answer to its first request. */
  repeated?: { readonly name: string; readonly result: PurchaseResult | undefined },
): ScheduleOutcome {
  const sold = [...results.values()].flatMap((result) => (result.kind === 'sold' ? result.orderId : []));
  const unclaimed = [...written].filter((orderId) => !sold.includes(orderId)).length;
  const answers = [...results.values(), repeated?.result];
  const open = answers.filter((answer) => answer?.kind === 'unknown').length;
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
    unknown: Math.max(0, unclaimed - open),
    // The repeated request has a receipt, and the order of the first one is in the ledger as well.
    twice: repeated !== undefined && unclaimed > 0 && results.get(repeated.name)?.kind === 'sold',
    told: Object.fromEntries(told) as Record<string, string>,
  };
}

/** The audit is SAFE, and receipts and ledger agree. */
export function isSafe(outcome: ScheduleOutcome): boolean {
  return findingOf(outcome) === 'SAFE';
}

/** The verdict of the audit. When it is SAFE: what the comparison of the receipts with the ledger shows. */
export function findingOf({ verdict, missing, unknown, twice }: ScheduleOutcome): string {
  if (verdict !== 'SAFE') return verdict;
  if (missing > 0) return 'LOST-ORDER';
  if (twice) return 'DUPLICATE';
  return unknown > 0 ? 'UNMATCHED' : 'SAFE';
}
