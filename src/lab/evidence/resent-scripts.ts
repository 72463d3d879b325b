import { answersIn, keyOf } from './replies.js';
import { type TraceEntry } from './trace.js';

type StepEntry = Extract<TraceEntry, { type: 'step' }>;

/** The server has no such script, or ZooKeeper has no folder for the lock yet. */
const UNKNOWN_SCRIPT = /^NOSCRIPT |\bNO_NODE\b/;

/**
 * The trace as if every server knew every script. A server that does not is sent the hash first and then the text, from
 * another line and in another order: for the reader it is one call.
 */
export function asIfKnown(trace: readonly TraceEntry[]): TraceEntry[] {
  const answers = answersIn(trace);
  const changed = new Map<TraceEntry, TraceEntry | undefined>();
  const isUnknown = ({ by, command }: StepEntry) =>
    command !== undefined && UNKNOWN_SCRIPT.test(answers.get(keyOf(by, command.id))?.error ?? '');
  const steps = trace.filter((entry) => entry.type === 'step');
  for (const [index, unknown] of steps.entries()) {
    const { command } = unknown;
    if (!command || !isUnknown(unknown)) continue;
    const resent = steps.slice(index + 1).find((entry) => isSameCall(unknown, entry) && !changed.has(entry));
    if (!resent?.command) continue;
    changed.set(unknown, { ...unknown, command: { ...command, id: resent.command.id } });
    changed.set(resent, undefined);
  }
  return trace.flatMap((entry) => (changed.has(entry) ? (changed.get(entry) ?? []) : entry));
}

function isSameCall(unknown: StepEntry, entry: StepEntry): boolean {
  const script = scriptOf(unknown);
  if (entry.by !== unknown.by || entry.step.to !== unknown.step.to) return false;
  return script === undefined ? entry.command?.text === unknown.command?.text : script === scriptOf(entry);
}

function scriptOf({ command }: StepEntry): string | undefined {
  return /^EVAL(?:SHA)? (\S+\.lua) /.exec(command?.text ?? '')?.[1];
}
