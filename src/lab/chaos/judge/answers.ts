import { type Call, isSell, type Operation } from '../history.js';
import { type IndexedEvidence } from './indexed-evidence.js';
import { type Violation } from './violation.js';

/** Any request may get these: overload, or a server that does not answer. */
const ANY = [429, 503];
const EXPECTED: Readonly<Record<Operation['do'], readonly number[]>> = {
  sell: [200, 409, 422],
  basket: [200, 409, 422],
  // Without a token, or with a wrong one, the answer may be 404 as well as 401 or 403.
  cancel: [200, 401, 403, 404, 409],
  reset: [200],
  read: [200],
  list: [200],
  strategies: [200],
  health: [200],
  audit: [200],
  malformed: [400, 403, 404, 405, 408, 411, 413, 414, 415, 417, 421, 422, 431, 501, 505],
};
/** Without a fault, at most this share of the calls may end without an answer of an instance. */
const LOST_SHARE = 0.01;
const LOST_AT_LEAST = 3;

/** Each answer is possible for its request; without faults nearly all requests get one. */
export function answers(index: IndexedEvidence): Violation[] {
  const { calls } = index.evidence;
  const known = calls.filter((call) => !isSell(call) || index.isEnabled(call.operation.strategy));
  const odd = known.filter(isOdd).map((call) => {
    const { status, type } = call.answer ?? {};
    return violation(`Call #${call.n} (${call.operation.do}) was answered ${status ?? ''} ${type ?? ''}.`, [
      call,
    ]);
  });
  const wellFormed = calls.filter(({ operation }) => operation.do !== 'malformed');
  const lost = wellFormed.filter(({ answer }) => !answer || [502, 504].includes(answer.status));
  if (index.faulty || lost.length < LOST_AT_LEAST || lost.length <= LOST_SHARE * wellFormed.length)
    return odd;
  const sentence = `${lost.length} of ${wellFormed.length} calls got no answer, 502 or 504, although there was no fault.`;
  return [...odd, violation(sentence, lost.slice(0, 5))];
}

/** After the faults every strategy sells again. */
export function recovery({ evidence: { silent } }: IndexedEvidence): Violation[] {
  return silent.map((strategy) => ({
    promise: 'recovery' as const,
    sentence: `${strategy} did not sell after the faults, although all servers were running again.`,
    calls: [],
  }));
}

function isOdd({ operation, answer }: Call): boolean {
  if (!answer) return false;
  const { status, type } = answer;
  if ([502, 504].includes(status) || ANY.includes(status)) return false;
  if (operation.do === 'sell' && status === 409) return type !== 'sold-out';
  if (operation.do === 'cancel' && operation.forged && status === 200) return true;
  return !EXPECTED[operation.do].includes(status);
}

function violation(sentence: string, calls: readonly Call[]): Violation {
  return { promise: 'answers', sentence: sentence.replace(' .', '.'), calls };
}
