import { type History, PROBE } from '../history.js';
import { type CallRecord, callsOf } from './calls.js';
import { exclusion } from './exclusion.js';
import { groupsOf, holdsOf } from './holds.js';
import { outcome } from './outcome.js';
import { settling } from './settling.js';
import { tokens } from './tokens.js';
import { type Violation } from './violation.js';

/** What a history proves against the promises of the lock. Pure: no clock, no server. */
export function judge(history: History): Violation[] {
  const holds = holdsOf(history);
  const groups = groupsOf(holds);
  const calls = callsOf(history.events);
  return [
    ...exclusion(groups),
    ...(history.promises.tokens ? tokens(groups, holds) : []),
    ...availability(calls),
    ...isolation(calls),
    ...outcome(history),
    ...settling(history),
    ...leftovers(history, calls),
  ];
}

/** When the last caller has gone and the faults are over, a fresh client gets every key. */
function availability(calls: readonly CallRecord[]): Violation[] {
  return calls.flatMap((call) => {
    const [acquire, refused] = [call.first('acquire'), call.first('refused')];
    if (!call.id.startsWith(PROBE) || !acquire || !refused) return [];
    const key = acquire.keys[0] ?? '';
    const sentence =
      `The key "${key}" was still locked ${acquire.waitMs} ms after the last caller had gone ` +
      `and the faults were over (${refused.message}).`;
    return [{ invariant: 'availability', key, sentence }];
  });
}

/** An error at the broken key is the error of no other key. */
function isolation(calls: readonly CallRecord[]): Violation[] {
  return calls.flatMap((call) => {
    const [acquire, refused] = [call.first('acquire'), call.first('refused')];
    if (!refused || acquire?.keys.includes('broken') || !isOfTheBrokenKey(refused.message)) return [];
    const key = acquire?.keys[0] ?? '';
    const sentence = `${call.id} (client ${call.client}) asked for the key "${key}" and got the error of another key: ${refused.message}`;
    return [{ invariant: 'isolation', key, sentence }];
  });
}

/** Of a Redis key of another type, and of a MySQL name that is too long. */
function isOfTheBrokenKey(message: string): boolean {
  return /WRONGTYPE|too long|Incorrect user-level lock name/i.test(message);
}

function leftovers({ events }: History, calls: readonly CallRecord[]): Violation[] {
  return [
    ...events.flatMap((event): Violation[] =>
      event.type === 'left behind'
        ? [{ invariant: 'leftovers', sentence: `Left behind after everything was closed: ${event.what}.` }]
        : [],
    ),
    ...calls.flatMap((call) =>
      call.all('listeners left').map(({ count }): Violation => ({
        invariant: 'leftovers',
        key: call.first('acquire')?.keys[0] ?? '',
        sentence: `${call.id} left ${count} abort listeners on its caller's signal.`,
      })),
    ),
  ];
}
