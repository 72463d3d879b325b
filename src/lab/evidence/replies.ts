import { type Step } from '../../contract/evidence.js';
import { type ServerAnswer } from './answer-text.js';
import { type RecordedCommand, type TraceEntry } from './trace.js';

type Returned = Extract<TraceEntry, { type: 'returned' }>;

/** A step, and for a command what was sent and returned. */
export interface Told {
  readonly by: string;
  /** A new run began with this stock before the step. */
  readonly stock?: number;
  readonly step: Step;
  readonly command?: RecordedCommand;
  answer?: ServerAnswer;
}

/**
 * The steps with their answers. Where something else happened before the answer, the command waited: then the answer is
 * a step of its own, so that no effect precedes its cause.
 */
export function withReplies(entries: readonly TraceEntry[]): Told[] {
  const told: Told[] = [];
  const sent = new Map<string, { readonly index: number; readonly at: Told }>();
  let stock: number | undefined;
  for (const entry of entries) {
    if (entry.type === 'restart') stock = entry.stock;
    if (entry.type === 'step') {
      const { by, step, command } = entry;
      const at: Told = { by, step, ...(stock !== undefined && { stock }), ...(command && { command }) };
      stock = undefined;
      if (command) sent.set(keyOf(by, command.id), { index: told.length, at });
      told.push(at);
    }
    if (entry.type !== 'returned') continue;
    const question = sent.get(keyOf(entry.by, entry.id));
    if (!question) continue;
    const { index, at } = question;
    const waited = told.slice(index + 1).some(({ by }) => by !== entry.by);
    if (waited) told.push(replyTo(at, entry));
    else at.answer = answerIn(entry);
  }
  return told;
}

function replyTo({ by, step, command }: Told, entry: Returned): Told {
  const { actor, to = actor, text } = step;
  return {
    by,
    step: { actor: to, to: actor, kind: 'reply', text },
    ...(command && { command }),
    answer: answerIn(entry),
  };
}

/** The answer of each command, by buyer and id. */
export function answersIn(entries: readonly TraceEntry[]): ReadonlyMap<string, ServerAnswer> {
  return new Map(
    entries.flatMap((entry) =>
      entry.type === 'returned' ? [[keyOf(entry.by, entry.id), answerIn(entry)] as const] : [],
    ),
  );
}

export function keyOf(by: string, id: number): string {
  return `${by} ${id}`;
}

function answerIn({ value, error }: Returned): ServerAnswer {
  return error === undefined ? { value } : { error };
}
