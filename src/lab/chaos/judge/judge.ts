import { type ChaosEvidence } from '../evidence.js';
import { outcomeOf } from '../history.js';
import { acknowledged } from './acknowledged.js';
import { answers, recovery } from './answers.js';
import { audits } from './audits.js';
import { availability } from './availability.js';
import { IndexedEvidence } from './indexed-evidence.js';
import { conservation } from './conservation.js';
import { enabled } from './enabled.js';
import { groupBy } from './group-by.js';
import { keys } from './keys.js';
import { order } from './order.js';
import { reads } from './reads.js';
import { refused } from './refused.js';
import { returns } from './returns.js';
import { soldOut } from './sold-out.js';
import { type Violation } from './violation.js';

/** How much was checked: a round without sales proves nothing. */
export interface Checked {
  readonly calls: number;
  readonly acknowledged: number;
  readonly refused: number;
  readonly unknown: number;
  readonly lines: number;
  readonly runs: number;
  readonly faults: number;
}

export interface RoundJudgement {
  /** The first of each kind and goods; `found` counts all. */
  readonly violations: readonly Violation[];
  readonly found: number;
  readonly checked: Checked;
}

/** A pure function of the evidence: compares the whole history with the ledger, the stock and the audits. */
export function judge(evidence: ChaosEvidence): RoundJudgement {
  const index = new IndexedEvidence(evidence);
  const inLedger = [acknowledged, refused, keys, returns, conservation].flatMap((check) => check(index));
  const found = [
    ...inLedger,
    ...[order, soldOut, reads, answers, availability, enabled, recovery].flatMap((check) => check(index)),
    ...audits(index, inLedger),
  ];
  const alike = groupBy(found, ({ promise, goodsId }) => `${promise} ${goodsId ?? ''}`);
  return {
    violations: [...alike.values()].flatMap(([first]) => first ?? []),
    found: found.length,
    checked: count(evidence),
  };
}

function count({ calls, ledger, runs, faults }: ChaosEvidence): Checked {
  const outcomes = groupBy(calls, outcomeOf);
  const number = (outcome: ReturnType<typeof outcomeOf>) => outcomes.get(outcome)?.length ?? 0;
  return {
    calls: calls.length,
    acknowledged: number('done'),
    refused: number('refused'),
    unknown: number('unknown'),
    lines: ledger.length,
    runs: runs.length,
    faults: faults.length,
  };
}
