import { isContended } from './contention.js';
import { type ProbeOptions } from './options.js';
import { type ProbeRound } from './round.js';
import { type PurchaseOutcome } from './sale-criterion.js';

/**
 * `uncontended`: no two purchases were worked on together. `below-limit`: there was stock for every buyer, so the check for
 * the last unit was not at work.
 */
export type RoundFinding =
  'HELD' | 'OVERSOLD' | 'DUPLICATE' | 'MISCOUNTED' | 'uncontended' | 'below-limit' | 'unknown';

export interface RoundVerdict {
  readonly finding: RoundFinding;
  readonly why: string;
}

export interface JudgedRound extends ProbeRound {
  readonly verdict: RoundVerdict;
}

export type ProbeVerdict = 'HELD' | 'OVERSOLD' | 'DUPLICATE' | 'MISCOUNTED' | 'INCONCLUSIVE';

export const BROKEN: readonly string[] = ['OVERSOLD', 'DUPLICATE', 'MISCOUNTED'];

type Judged = Pick<ProbeOptions, 'quantity' | 'supply' | 'receipt'>;

/** One round, by the receipts of its buyers and the stock before and after. */
export function judgeRound(round: ProbeRound, options: Judged): RoundVerdict {
  return broken(round, options) ?? unknown(round, options) ?? untested(round, options);
}

function broken(
  { limit, before, after, outcomes }: ProbeRound,
  { quantity, supply }: Judged,
): RoundVerdict | undefined {
  const sold = quantity * count(outcomes, 'sold');
  const perhaps = sold + quantity * (count(outcomes, 'unclear') + count(outcomes, 'unanswered'));
  const source = supply === undefined ? 'in stock' : 'by --supply';
  if (sold > limit)
    return { finding: 'OVERSOLD', why: `${sold} units were sold, and there were only ${limit} ${source}.` };
  const receipts = outcomes.flatMap((outcome) => (outcome.kind === 'sold' ? (outcome.receipt ?? []) : []));
  const repeated = receipts.find((receipt, index) => receipts.indexOf(receipt) < index);
  if (repeated !== undefined)
    return { finding: 'DUPLICATE', why: `Several buyers got the receipt ${JSON.stringify(repeated)}.` };
  if (before === undefined || after === undefined) return undefined;
  if (after < 0 && before >= 0)
    return { finding: 'OVERSOLD', why: `The stock is ${after}: more was taken from it than there was.` };
  const taken = before - after;
  if (taken < sold)
    return {
      finding: 'MISCOUNTED',
      why: `${sold} units were sold, but the stock went from ${before} to ${after}: units that are sold will be sold again.`,
    };
  // Without any sale, the answers are not understood.
  if (taken > perhaps && perhaps > 0)
    return {
      finding: 'MISCOUNTED',
      why: `At most ${perhaps} units were sold, but the stock went from ${before} to ${after}: units are lost, or another client bought them.`,
    };
  return undefined;
}

function unknown(
  { before, outcomes, unconnected }: ProbeRound,
  { receipt }: Judged,
): RoundVerdict | undefined {
  const because = (why: string): RoundVerdict => ({ finding: 'unknown', why });
  const unanswered = count(outcomes, 'unanswered');
  if (outcomes.length < 2)
    return because(
      `${unconnected} buyers got no connection. Use fewer --buyers, or let the service accept more.`,
    );
  if (unanswered > 0)
    return because(
      `${unanswered} purchases were not answered (${reasons(outcomes, 'unanswered')}), so they may still be sold to. Find out why, or raise --timeout.`,
    );
  const unclear = count(outcomes, 'unclear');
  if (unclear > 0 && (before === undefined || unclear === outcomes.length))
    return because(
      `${unclear} answers do not say whether the purchase was made (${reasons(outcomes, 'unclear')}). See --sold-status and --sold-when, or fix the error.`,
    );
  if (count(outcomes, 'sold') === 0)
    return because(
      `No answer is a sale (${reasons(outcomes, 'refused')}). Check --buy, --header, --sold-status and --sold-when.`,
    );
  const nameless = outcomes.filter((outcome) => outcome.kind === 'sold' && outcome.receipt === undefined);
  if (receipt && nameless.length > 0)
    return because(`${nameless.length} sales have no receipt at ${receipt.text}. Check --receipt.`);
  return undefined;
}

function untested({ limit, contention, outcomes }: ProbeRound, { quantity }: Judged): RoundVerdict {
  const { inFlight } = contention;
  if (!isContended(contention))
    return {
      finding: 'uncontended',
      why:
        inFlight < 2
          ? 'No two purchases were in flight at the same time: each was answered before the next one was sent. Raise --buyers.'
          : `${inFlight} purchases were in flight, but the answers came in the order of the requests: the service may have worked on one at a time. Run it as in production, with several workers or instances, or raise --buyers.`,
    };
  if (outcomes.length * quantity <= limit)
    return {
      finding: 'below-limit',
      why: `There was enough for every buyer (${limit} units), so nothing tested the last unit. Reset the stock to less, or raise --buyers.`,
    };
  return { finding: 'HELD', why: `${outcomes.length} buyers at once, and no unit was sold twice.` };
}

/** All rounds. One round that was contended at the limit is enough for HELD, if no other one leaves a doubt. */
export function judgeAll(rounds: readonly JudgedRound[]): { verdict: ProbeVerdict; why: string } {
  const found = (...findings: readonly string[]) =>
    rounds.find(({ verdict }) => findings.includes(verdict.finding))?.verdict;
  const worst = found(...BROKEN);
  if (worst) return { verdict: worst.finding as ProbeVerdict, why: worst.why };
  const doubt = found('unknown');
  if (doubt) return { verdict: 'INCONCLUSIVE', why: doubt.why };
  const held = rounds.filter(({ verdict }) => verdict.finding === 'HELD').length;
  if (held > 0)
    return {
      verdict: 'HELD',
      why: `In ${held} of ${rounds.length} rounds more buyers than units met at the service, and no unit was sold twice.`,
    };
  return {
    verdict: 'INCONCLUSIVE',
    why: found('uncontended', 'below-limit')?.why ?? 'No round was completed.',
  };
}

function count(outcomes: readonly PurchaseOutcome[], wanted: PurchaseOutcome['kind']): number {
  return outcomes.filter(({ kind }) => kind === wanted).length;
}

/** The reasons of the answers of this kind, the most frequent first. */
function reasons(outcomes: readonly PurchaseOutcome[], wanted: PurchaseOutcome['kind']): string {
  const counts = new Map<string, number>();
  for (const outcome of outcomes)
    if (outcome.kind === wanted && 'why' in outcome)
      counts.set(outcome.why, (counts.get(outcome.why) ?? 0) + 1);
  const sorted = [...counts].sort(([, a], [, b]) => b - a);
  return sorted.map(([why, times]) => `${times} × ${why}`).join(', ');
}
