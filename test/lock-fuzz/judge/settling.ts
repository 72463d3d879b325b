import { type History } from '../history.js';
import { isWorker } from '../plan/plan.js';
import { commandTimeoutMs, SLACK_MS } from './bounds.js';
import { type CallRecord, callsOf } from './calls.js';
import { type Violation } from './violation.js';

/** Every `acquire` and every `release` settles in time: this finds hangs, and allows for a machine that is busy. */
export function settling(history: History): Violation[] {
  const killed = new Map<number, number>();
  for (const event of history.events)
    if (event.type === 'fault' && event.fault.type === 'kill') killed.set(event.fault.client, event.at);
  return callsOf(history.events)
    .filter(({ client }) => !killed.has(client))
    .flatMap((call) => [...lateAcquire(call, history), ...lateRelease(call, history)]);
}

function lateAcquire(call: CallRecord, history: History): Violation[] {
  const acquire = call.first('acquire');
  if (!acquire) return [];
  const { at, waitMs, keys } = acquire;
  const timeout = commandTimeoutMs(history.plan.settings);
  const aborted = call.first('aborted by caller')?.at ?? Infinity;
  // The command in flight, and the release of what it may have acquired.
  const due = Math.min(at + waitMs, Math.max(at, aborted)) + 2 * timeout * keys.length;
  const what = aborted < at + waitMs ? 'was aborted' : `had waitMs ${waitMs}`;
  return late(call, history, { what: `acquire, which ${what}`, at, due, settledAt: call.settledAt });
}

function lateRelease(call: CallRecord, history: History): Violation[] {
  const called = call.first('release called');
  if (!called || call.id.endsWith('.downgraded')) return [];
  const answered = call.first('release answered') ?? call.first('release threw');
  const due = called.at + 2 * commandTimeoutMs(history.plan.settings);
  return late(call, history, { what: 'release', at: called.at, due, settledAt: answered?.at });
}

interface Waited {
  readonly what: string;
  readonly at: number;
  readonly due: number;
  readonly settledAt: number | undefined;
}

function late(call: CallRecord, history: History, { what, at, due, settledAt }: Waited): Violation[] {
  const end = settledAt ?? history.endedAt;
  const lag = lagOf(history, call.client, at, end);
  const allowed = due + SLACK_MS + lag;
  if (end <= allowed) return [];
  const outcome = settledAt === undefined ? 'had not settled after' : 'took';
  return [
    {
      invariant: 'settling',
      key: call.first('acquire')?.keys[0] ?? '',
      sentence:
        `${call.id} (client ${call.client}): ${what}, ${outcome} ${Math.round(end - at)} ms; ` +
        `at most ${Math.round(allowed - at)} ms are allowed.`,
    },
  ];
}

/** How late the process of the client was, or the fuzzer's own, through whose proxies everything goes. */
function lagOf({ events }: History, client: number, from: number, to: number): number {
  const byClient = new Map<number, number>();
  for (const event of events) {
    if (event.type !== 'lag' || event.at < from || event.at - event.ms > to) continue;
    byClient.set(event.client, (byClient.get(event.client) ?? 0) + event.ms);
  }
  const local = [...byClient].filter(([index]) => !isWorker(index)).map(([, ms]) => ms);
  return Math.max(0, ...local) + (isWorker(client) ? (byClient.get(client) ?? 0) : 0);
}
