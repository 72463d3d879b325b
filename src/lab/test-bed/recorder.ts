import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type CheckpointSource, type Returned } from '../../checkpoints/checkpoint-protocol.js';
import {
  type Actor,
  type EventOrder,
  type Proof,
  type SourceLine,
  type Step,
} from '../../contract/evidence.js';
import { answerText } from '../evidence/answer-text.js';
import { type RecordedCommand, type TraceEntry } from '../evidence/trace.js';
import { ROOT } from '../paths.js';

/** Callbacks for the start of an experiment, and for each step and proof while it runs. */
export interface Subscribers {
  begun?(): void;
  step?(step: Step): void;
  /** A server answered the command that was the step of this number, from 0. */
  returned?(step: number, answer: string): void;
  proof?(proof: Proof): void;
}

/** The lab itself, as the origin of a step or an event. */
export const LAB = 'lab';

/** Records what happens in one experiment, in the order in which the lab receives it. */
export class Recorder {
  readonly actors = new Map<string, Actor>();
  readonly trace: TraceEntry[] = [];
  readonly proofs: Proof[] = [];
  /** The events of the interleaving, such as "A afterRead" or "B sold". */
  private readonly events: string[] = [];
  private expectedOrder: readonly string[] = [];
  private readonly started = performance.now();
  /** The commands that were not answered yet: by buyer and id, with the number of the step. */
  private readonly unanswered = new Map<
    string,
    { readonly step: number; readonly command: RecordedCommand }
  >();
  private steps = 0;

  constructor(private readonly subscribers: Subscribers = {}) {}

  addActor(actor: Actor): void {
    this.actors.set(actor.id, actor);
  }

  /** `by`: the buyer whose request took the step, or the lab. */
  step(step: Omit<Step, 'atMs'>, by = LAB): void {
    this.trace.push({ type: 'step', by, step });
    this.tell(step);
  }

  /** A command that a request has sent. */
  command(step: Omit<Step, 'atMs'>, by: string, command: RecordedCommand): void {
    this.unanswered.set(`${by} ${command.id}`, { step: this.steps, command });
    this.trace.push({ type: 'step', by, step, command });
    this.tell(step);
  }

  returned({ id, value, error }: Returned, by: string): void {
    const key = `${by} ${id}`;
    const sent = this.unanswered.get(key);
    if (!sent) return;
    this.unanswered.delete(key);
    const answer = error === undefined ? { value } : { error };
    this.trace.push({ type: 'returned', by, id, ...answer });
    this.subscribers.returned?.(sent.step, answerText(sent.command, answer));
  }

  private tell(step: Omit<Step, 'atMs'>): void {
    this.steps += 1;
    this.subscribers.step?.({ ...step, atMs: Math.round(performance.now() - this.started) });
  }

  event(name: string, by = LAB): void {
    this.events.push(name);
    this.trace.push({ type: 'event', by, name });
  }

  /** The experiment has waited for what this buyer did so far: whatever comes next, comes after it. */
  awaited(by: string): void {
    this.trace.push({ type: 'awaited', by });
  }

  /** The same for the commands of every buyer, for a fault that waits until one of them has arrived somewhere. */
  awaitedCommands(): void {
    for (const by of new Set(this.trace.map((entry) => entry.by)))
      if (by !== LAB) this.trace.push({ type: 'awaited', by, commandsOnly: true });
  }

  prove(proof: Proof): void {
    this.proofs.push(proof);
    this.subscribers.proof?.(proof);
  }

  /** Drops the events so far: the interleaving of the experiment starts here. */
  restartEvents(stock: number): void {
    this.events.length = 0;
    this.trace.push({ type: 'restart', by: LAB, stock });
  }

  /** The interleaving that the experiment must reach, in this order; other events may occur in between. */
  expectOrder(...events: string[]): void {
    this.expectedOrder = events;
  }

  get order(): EventOrder {
    let found = 0;
    for (const event of this.events) if (event === this.expectedOrder[found]) found += 1;
    const { length } = this.expectedOrder;
    return { expected: this.expectedOrder, seen: this.events, ok: length > 0 && found === length };
  }
}

/** Adds the line of code to the position of a checkpoint. The number of the line changes with every edit above it. */
export function quote({ file, line, symbol }: CheckpointSource): SourceLine {
  const code = readFileSync(join(ROOT, file), 'utf8').split('\n')[line - 1]?.trim() ?? '';
  return { file, ...(symbol !== undefined && { symbol }), code };
}
