import { type ServerAnswer } from './answer-text.js';
import { keyOf } from './replies.js';
import { OWNER } from './stable-text.js';
import { type TraceEntry } from './trace.js';

type StepEntry = Extract<TraceEntry, { type: 'step' }>;

const MAJORITY = 3;

/**
 * What is left out of the commands of a client that waits for a Redlock lock. It asks the masters again and again, each
 * time as another owner, and withdraws its votes in between. Its first attempt is kept, and the one that gets the lock. That
 * one may come while the lease of the holder has ended on some masters only, so of its votes a majority is kept.
 */
export function redlockAttempts(
  own: readonly TraceEntry[],
  answers: ReadonlyMap<string, ServerAnswer>,
): TraceEntry[] {
  const left: TraceEntry[] = [];
  /** The attempt that got the lock: its owner, and the masters whose votes are shown. */
  let winner: { readonly owner: string; readonly masters: readonly string[] } | undefined;
  let attempts: Map<string, StepEntry[]> | undefined;
  const end = (gotIt: boolean) => {
    const all = [...(attempts ?? [])];
    attempts = undefined;
    if (all.length < 2) return;
    left.push(...all.slice(1, gotIt ? -1 : undefined).flatMap(([, commands]) => commands));
    const [owner, commands = []] = all.at(-1) ?? [];
    if (!gotIt || owner === undefined) return;
    const masters = commands
      .filter((entry) => isGranted(entry, answers))
      .map(masterOf)
      .slice(0, MAJORITY);
    winner = { owner, masters };
    left.push(...commands.filter((entry) => !masters.includes(masterOf(entry))));
  };
  for (const entry of own) {
    if (entry.type === 'event' && entry.name.endsWith(' beforeLock')) attempts = new Map();
    if (entry.type === 'event' && entry.name.endsWith(' afterLock')) end(true);
    const owner = ownerOf(entry);
    if (entry.type !== 'step' || owner === undefined) continue;
    if (attempts) attempts.set(owner, [...(attempts.get(owner) ?? []), entry]);
    else if (winner?.owner === owner && !winner.masters.includes(masterOf(entry))) left.push(entry);
  }
  end(false);
  return left;
}

function ownerOf(entry: TraceEntry): string | undefined {
  if (entry.type !== 'step' || !entry.command?.text.includes(' lockstock:lock:redlock:')) return undefined;
  return entry.command.text.match(OWNER)?.[0] ?? '';
}

const masterOf = ({ step }: StepEntry) => step.to ?? '';

function isGranted({ by, command }: StepEntry, answers: ReadonlyMap<string, ServerAnswer>): boolean {
  return command !== undefined && Number(answers.get(keyOf(by, command.id))?.value) > 0;
}
