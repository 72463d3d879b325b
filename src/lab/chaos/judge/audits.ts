import { type Audit } from '../../../contract/audit.js';
import { type Call, outcomeOf } from '../history.js';
import { type IndexedEvidence, type IndexedRun } from './indexed-evidence.js';
import { type Violation } from './violation.js';

type Audited = Pick<Audit, 'runId' | 'verdict'> & Partial<Pick<Audit, 'invariants'>>;

/** A broken promise of these kinds is visible in the ledger or the stock, so the audit must report it. */
const VISIBLE_TO_AUDIT: readonly Violation['promise'][] = [
  'acknowledged',
  'conservation',
  'oversold',
  'keys',
];

/** No audit reports an error in a correct run, and no final audit reports SAFE for an incorrect one. */
export function audits(index: IndexedEvidence, found: readonly Violation[]): Violation[] {
  const broken = new Map(
    found
      .filter(({ promise }) => VISIBLE_TO_AUDIT.includes(promise))
      .map((violation) => [violation.runId, violation]),
  );
  const midRun = index.evidence.calls
    .filter((call) => call.operation.do === 'audit' && outcomeOf(call) === 'done')
    .flatMap((call) => accusation(index, call.answer?.body as Audited, broken, call));
  const final = index.evidence.finals.flatMap(({ audit, runId, goodsId }) => {
    const violation = broken.get(runId);
    if (!violation || audit.verdict !== 'SAFE') return accusation(index, audit, broken);
    const sentence = `The final audit of goods ${goodsId} says SAFE, but: ${violation.sentence}`;
    return [{ promise: 'audits' as const, sentence, goodsId, runId, calls: violation.calls }];
  });
  return [...midRun, ...final];
}

function accusation(
  index: IndexedEvidence,
  { runId, verdict, invariants = [] }: Audited,
  broken: ReadonlyMap<number | undefined, Violation>,
  call?: Call,
): Violation[] {
  const run: IndexedRun | undefined = index.runs.get(runId);
  if (!run?.promised || verdict === 'SAFE' || broken.has(runId)) return [];
  const who = call ? `Audit #${call.n}` : 'The final audit';
  const because = invariants.filter(({ ok }) => !ok).map(({ name, detail }) => `${name}: ${detail}`);
  const reason = because.length > 0 ? ` (${because.join('; ')})` : '';
  const sentence = `${who} says ${verdict} for goods ${run.goodsId}${reason}, but the ledger of that run is in order.`;
  return [{ promise: 'audits', sentence, goodsId: run.goodsId, runId, calls: call ? [call] : [] }];
}
