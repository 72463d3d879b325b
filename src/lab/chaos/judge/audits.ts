import { type Audit } from '../../../contract/audit.js';
import { type Call, outcomeOf } from '../history.js';
import { type Books, type RunBook } from './books.js';
import { type Violation } from './violation.js';

type Audited = Pick<Audit, 'runId' | 'verdict'> & Partial<Pick<Audit, 'invariants'>>;

/** Verdicts that accuse nobody; the second is for an audit in mid-run that cannot tell yet. */
const FINE: readonly string[] = ['SAFE', 'IN-FLIGHT'];
/** A broken promise of these kinds is in the books, where the audit must see it. */
const IN_THE_BOOKS: readonly Violation['promise'][] = ['acknowledged', 'conservation', 'oversold', 'keys'];

/** Audits accuse no run that is fine, at any time, and in the end excuse none that is not. */
export function audits(books: Books, found: readonly Violation[]): Violation[] {
  const broken = new Map(
    found
      .filter(({ promise }) => IN_THE_BOOKS.includes(promise))
      .map((violation) => [violation.runId, violation]),
  );
  const midRun = books.evidence.calls
    .filter((call) => call.operation.do === 'audit' && outcomeOf(call) === 'done')
    .flatMap((call) => accusation(books, call.answer?.body as Audited, broken, call));
  const final = books.evidence.finals.flatMap(({ audit, runId, goodsId }) => {
    const violation = broken.get(runId);
    if (!violation || audit.verdict !== 'SAFE') return accusation(books, audit, broken);
    const sentence = `The final audit of goods ${goodsId} says SAFE, but: ${violation.sentence}`;
    return [{ promise: 'audits' as const, sentence, goodsId, runId, calls: violation.calls }];
  });
  return [...midRun, ...final];
}

function accusation(
  books: Books,
  { runId, verdict, invariants = [] }: Audited,
  broken: ReadonlyMap<number | undefined, Violation>,
  call?: Call,
): Violation[] {
  const run: RunBook | undefined = books.runs.get(runId);
  if (!run?.promised || FINE.includes(verdict) || broken.has(runId)) return [];
  const who = call ? `Audit #${call.n}` : 'The final audit';
  const because = invariants.filter(({ ok }) => !ok).map(({ name, detail }) => `${name}: ${detail}`);
  const sentence = `${who} says ${verdict} of goods ${run.goodsId} (${because.join('; ')}), but the ledger of that run is in order.`;
  return [{ promise: 'audits', sentence, goodsId: run.goodsId, runId, calls: call ? [call] : [] }];
}
