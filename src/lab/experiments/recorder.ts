import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../paths.js';
import { type Actor, type Proof, type Source, type Step } from './evidence.js';

/** What somebody who watches an experiment hears while it runs. */
export interface Audience {
  step?(step: Step): void;
  proof?(proof: Proof): void;
}

/** Writes down who did what and when, what was proven, and in which order things happened. */
export class Recorder {
  readonly actors = new Map<string, Actor>();
  readonly steps: Step[] = [];
  readonly proofs: Proof[] = [];
  /** The events that an interleaving is made of, such as "A afterRead" or "B sold". */
  readonly events: string[] = [];
  private expectedOrder: readonly string[] = [];
  private readonly started = performance.now();

  constructor(private readonly audience: Audience = {}) {}

  get durationMs(): number {
    return Math.round(performance.now() - this.started);
  }

  meet(actor: Actor): void {
    this.actors.set(actor.id, actor);
  }

  step(step: Omit<Step, 'n' | 'atMs'>): void {
    const entry = { n: this.steps.length + 1, atMs: this.durationMs, ...step };
    this.steps.push(entry);
    this.audience.step?.(entry);
  }

  event(name: string): void {
    this.events.push(name);
  }

  prove(proof: Proof): void {
    this.proofs.push(proof);
    this.audience.proof?.(proof);
  }

  /** What has happened so far is no part of the interleaving that comes now. */
  beginAnew(): void {
    this.events.length = 0;
  }

  /** The interleaving that the experiment is about; other events may come between. */
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

/** The line of code at a place of the project's sources. */
export function quote({ file, line }: { file: string; line: number }): Source {
  const code = readFileSync(join(ROOT, file), 'utf8').split('\n')[line - 1]?.trim() ?? '';
  return { file, line, code };
}
