import { type Event, type History, isCallEvent } from './history.js';
import { callsOf } from './judge/calls.js';
import { type Violation } from './judge/violation.js';
import { type Failure } from './run/fuzz.js';

const LONGEST_TIMELINE = 80;

/** A failure as text: which promise was broken, and what happened at the key concerned. */
export function describeFailure({ seed, history, violations }: Failure): string {
  const [first] = violations;
  const where = seed === undefined ? '' : `, seed ${seed}`;
  return [
    `${history.plan.kind}${where}: ${violations.length} violations`,
    ...violations.slice(0, 5).map(({ invariant, sentence }) => `  ${invariant}: ${sentence}`),
    '',
    ...(first ? timeline(history, first) : []),
  ].join('\n');
}

/** The events of the key of a violation, with the faults, by milliseconds since the start. */
function timeline(history: History, { key }: Violation): string[] {
  const calls = new Set(
    callsOf(history.events)
      .filter((call) => key === undefined || call.first('acquire')?.keys.includes(key))
      .map(({ id }) => id),
  );
  const shown = withoutRepeatedSamples(history.events).filter(
    (event) => !isCallEvent(event) || calls.has(event.call),
  );
  const lines = shown.slice(0, LONGEST_TIMELINE).map((event) => {
    const at = (event.at - history.startedAt).toFixed(1).padStart(8);
    const client = event.client < 0 ? 'fuzzer  ' : `client ${event.client}`;
    return `  ${at} ms  ${client}  ${described(event)}`;
  });
  if (shown.length > LONGEST_TIMELINE) lines.push(`  … and ${shown.length - LONGEST_TIMELINE} more events`);
  return lines;
}

/** Of the looks at a lease the last one before something else happens, and each that finds it lost. */
function withoutRepeatedSamples(events: readonly Event[]): Event[] {
  return events.filter((event, index) => {
    if (event.type !== 'sample' || !event.valid) return true;
    const next = events.slice(index + 1).find((later) => isCallEvent(later) && later.call === event.call);
    return next?.type !== 'sample' || !next.valid;
  });
}

function described(event: Event): string {
  switch (event.type) {
    case 'lag':
      return `event loop late by ${Math.round(event.ms)} ms`;
    case 'fault':
      return `fault begins: ${event.fault.type}, client ${event.fault.client}, ${event.fault.forMs} ms`;
    case 'fault ended':
      return `fault ended: ${event.fault.type}, client ${event.fault.client}`;
    case 'left behind':
      return `left behind: ${event.what}`;
    default: {
      const { call, type } = event;
      const details = Object.entries(event)
        .filter(([name, value]) => value !== undefined && !['at', 'client', 'call', 'type'].includes(name))
        .map(([name, value]) => `${name}=${typeof value === 'number' ? Math.round(value) : String(value)}`);
      return `${call}: ${[type, ...details].join(' ')}`;
    }
  }
}
