import { type History } from '../history.js';
import { type CallRecord, callsOf } from './calls.js';
import { type Violation } from './violation.js';

/** A lease with so much left is not lost a moment later. */
const SURE_MS = 60;
/** What may pass between the lock's last look at a lease and the caller's first. */
const BORDERLINE_MS = 25;

/** `release` never throws; `using` rejects with LockLost if its lease was lost, and else has its work's outcome. */
export function outcome(history: History): Violation[] {
  return callsOf(history.events).flatMap((call) => [
    ...call.all('release threw').map(({ message }) => said(call, `release() threw ${message}`)),
    ...usingOutcome(call),
    ...deadOnArrival(call, history),
  ]);
}

function usingOutcome(call: CallRecord): Violation[] {
  const ended = call.first('work ended');
  const settled = call.first('using settled');
  if (!ended || !settled) return [];
  const own = ended.threw ? 'work error' : 'resolved';
  if (!ended.valid && !ended.threw && settled.outcome === 'resolved')
    return [said(call, 'using resolved although its lease was lost before the work ended')];
  if (settled.outcome === own || (settled.outcome === 'lost' && ended.remaining < SURE_MS)) return [];
  const instead = settled.outcome === 'resolved' ? 'resolved' : `rejected with ${settled.message}`;
  return [said(call, `using ${instead} although its work ${ended.threw ? 'threw' : 'returned'} in time`)];
}

/**
 * A lock that was lost again before `acquire` could return it is a LockLost, not a lease. A lease that ends in the very
 * moment in which it is handed to the caller is no fault of the lock, so the time right after its end is left out.
 */
function deadOnArrival(call: CallRecord, { events, plan }: History): Violation[] {
  const [acquire, granted] = [call.first('acquire'), call.first('granted')];
  if (!acquire || !granted || granted.remaining > 0 || acquire.within !== undefined) return [];
  // Without a deadline to compare with: the end of a lease that was asked for at once.
  const end = acquire.at + (acquire.leaseMs ?? plan.settings.watchdogMs);
  const overdue = granted.overdueMs ?? Math.abs(granted.at - end);
  if (overdue < BORDERLINE_MS) return [];
  const busy = events.some(
    (event) =>
      event.type === 'lag' && event.at >= granted.at - 200 && event.at - event.ms <= granted.at + 200,
  );
  return busy ? [] : [said(call, 'acquire answered with a lease that had already ended')];
}

function said(call: CallRecord, what: string): Violation {
  return {
    invariant: 'outcome',
    key: call.first('acquire')?.keys[0] ?? '',
    sentence: `${call.id} (client ${call.client}): ${what}.`,
  };
}
