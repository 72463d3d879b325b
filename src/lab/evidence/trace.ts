import { type Step } from '../../contract/evidence.js';

/** A command of a request, as it was sent. */
export interface RecordedCommand {
  /** Distinguishes the commands of one buyer. */
  readonly id: number;
  readonly server: string;
  readonly text: string;
  /** The parameters of an SQL statement. */
  readonly values: readonly unknown[];
}

/** What a recording consists of. `by` is the buyer whose request did it, or `lab`. */
export type TraceEntry =
  | { readonly type: 'step'; readonly by: string; readonly step: Step; readonly command?: RecordedCommand }
  /** The command of this id was answered. */
  | {
      readonly type: 'returned';
      readonly by: string;
      readonly id: number;
      readonly value?: unknown;
      readonly error?: string;
    }
  | { readonly type: 'event'; readonly by: string; readonly name: string }
  /** The experiment waited until the buyer had come this far, or only until it had sent its commands. */
  | { readonly type: 'awaited'; readonly by: string; readonly commandsOnly?: boolean }
  /** A new run begins with this stock. The events before it are no part of the interleaving. */
  | { readonly type: 'restart'; readonly by: string; readonly stock?: number };

const LAB = 'lab';

/**
 * The order in which the experiment itself waited for things. Where two requests run at the same time, the order of
 * their commands varies from run to run; what the experiment waits for does not. So the commands of a request come
 * right before the point at which the experiment waited for them, and requests that it never waited for come last.
 */
export function inAwaitedOrder(trace: readonly TraceEntry[]): TraceEntry[] {
  const ordered: TraceEntry[] = [];
  const pending = new Map<string, TraceEntry[]>();
  const flush = (by: string, commandsOnly = false) => {
    const entries = pending.get(by) ?? [];
    const answered = entries.findIndex((entry) => entry.type === 'step' && entry.step.kind === 'answer');
    const end = commandsOnly && answered >= 0 ? answered : entries.length;
    ordered.push(...entries.slice(0, end));
    pending.set(by, entries.slice(end));
  };
  const flushAll = () => {
    for (const by of [...pending.keys()].sort((a, b) => numberOf(a) - numberOf(b))) flush(by);
  };
  for (const entry of trace) {
    if (entry.type === 'restart') flushAll();
    if (entry.type === 'awaited') flush(entry.by, entry.commandsOnly);
    else if (entry.by === LAB) ordered.push(entry);
    else pending.set(entry.by, [...(pending.get(entry.by) ?? []), entry]);
  }
  flushAll();
  return ordered;
}

/** Buyers are numbered in the order in which the experiment creates them: "A 1", "B 2". */
function numberOf(by: string): number {
  return Number(by.split(' ').at(-1)) || 0;
}
