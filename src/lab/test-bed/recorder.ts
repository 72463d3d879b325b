import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../paths.js';
import { type Actor, type Proof, type Source, type Step } from '../evidence/evidence.js';

/** Callbacks for each step and proof while the experiment runs. */
export interface Subscribers {
  step?(step: Step): void;
  proof?(proof: Proof): void;
}

/** Records the steps, the proofs and the order of events of one experiment. */
export class Recorder {
  readonly actors = new Map<string, Actor>();
  readonly steps: Step[] = [];
  readonly proofs: Proof[] = [];
  /** The events of the interleaving, such as "A afterRead" or "B sold". */
  readonly events: string[] = [];
  private expectedOrder: readonly string[] = [];
  private readonly started = performance.now();

  constructor(private readonly subscribers: Subscribers = {}) {}

  get durationMs(): number {
    return Math.round(performance.now() - this.started);
  }

  addActor(actor: Actor): void {
    this.actors.set(actor.id, actor);
  }

  step(step: Omit<Step, 'n' | 'atMs'>): void {
    const entry = { n: this.steps.length + 1, atMs: this.durationMs, ...step };
    this.steps.push(entry);
    this.subscribers.step?.(entry);
  }

  event(name: string): void {
    this.events.push(name);
  }

  prove(proof: Proof): void {
    this.proofs.push(proof);
    this.subscribers.proof?.(proof);
  }

  /** Drops the events so far: the interleaving of the experiment starts here. */
  restartEvents(): void {
    this.events.length = 0;
  }

  /** The interleaving that the experiment must reach, in this order; other events may occur in between. */
  expectOrder(...events: string[]): void {
    this.expectedOrder = events;
  }

  get order(): { expected: readonly string[]; seen: readonly string[]; ok: boolean } {
    let found = 0;
    for (const event of this.events) if (event === this.expectedOrder[found]) found += 1;
    const { length } = this.expectedOrder;
    return { expected: this.expectedOrder, seen: this.events, ok: length > 0 && found === length };
  }
}

/** Adds the line of code itself to its position. */
export function quote({ file, line }: { file: string; line: number }): Source {
  const code = readFileSync(join(ROOT, file), 'utf8').split('\n')[line - 1]?.trim() ?? '';
  return { file, line, code };
}
