import { type Call, type Operation } from '../history.js';
import { type Books } from './books.js';
import { type Violation } from './violation.js';

/** Said for want of capacity or of a server; any request may hear it. */
const ANY = [429, 503];
const EXPECTED: Readonly<Record<Operation['do'], readonly number[]>> = {
  sell: [200, 409, 422],
  basket: [200, 409, 422],
  // Without its token, or with a wrong one, an order may be denied as well as forbidden.
  cancel: [200, 401, 403, 404, 409],
  reset: [200],
  read: [200],
  list: [200],
  strategies: [200],
  audit: [200],
  malformed: [400, 403, 404, 405, 408, 411, 413, 414, 415, 417, 421, 422, 431, 501, 505],
};
/** Without a fault, so few calls may end without an answer of an instance. */
const LOST_SHARE = 0.01;
const LOST_AT_LEAST = 3;

/** Each answer is one that such a request can have; and without faults nearly all have one. */
export function answers(books: Books): Violation[] {
  const { calls } = books.evidence;
  const odd = calls.filter(isOdd).map((call) => {
    const { status, type } = call.answer ?? {};
    return violation(`Call #${call.n} (${call.operation.do}) was answered ${status ?? ''} ${type ?? ''}.`, [
      call,
    ]);
  });
  const wellFormed = calls.filter(({ operation }) => operation.do !== 'malformed');
  const lost = wellFormed.filter(({ answer }) => !answer || [502, 504].includes(answer.status));
  if (books.faulty || lost.length < LOST_AT_LEAST || lost.length <= LOST_SHARE * wellFormed.length)
    return odd;
  const sentence = `${lost.length} of ${wellFormed.length} calls got no answer, 502 or 504, although there was no fault.`;
  return [...odd, violation(sentence, lost.slice(0, 5))];
}

/** A fault that is over harms nobody any more. */
export function recovery({ evidence: { silent } }: Books): Violation[] {
  return silent.map((strategy) => ({
    promise: 'recovery' as const,
    sentence: `${strategy} sold nothing any more after the faults, although all servers were back.`,
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
