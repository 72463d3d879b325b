import type { Actor, Step } from './evidence.js';
import type { Finding } from './verdict.js';

/** What the explorer found: all interleavings of a few buyers of one strategy. One file per record in `docs/explorations`. */
export interface ExplorationRecord {
  /** The strategy and the fault: `setnx-lua.expire`. */
  readonly id: string;
  readonly strategy: string;
  readonly buyers: number;
  readonly stock: number;
  /** `none`, or the fault that was injected once at every possible point. */
  readonly fault: string;
  readonly schedules: {
    /** Run to their end. */
    readonly run: number;
    /** Cut short: the rest is the same as in a schedule that was run. */
    readonly cut: number;
    /** How many schedules the runs stand for, as a decimal number. Absent when they are not counted. */
    readonly all?: string;
    /** Whether the runs stand for every schedule. */
    readonly complete: boolean;
    /** The bound on preemptions, if there was one. */
    readonly preemptions?: number;
  };
  /** How often each verdict was found. */
  readonly verdicts: Readonly<Record<string, number>>;
  readonly counterexample?: Counterexample;
}

/** The shortest schedule that breaks the strategy, as a story. */
export interface Counterexample {
  /** Plays it again: `lockstock explore <strategy> --schedule '…'`. */
  readonly schedule: string;
  /** How often another buyer continues. */
  readonly switches: number;
  readonly verdict: Finding;
  readonly why: string;
  readonly actors: readonly Actor[];
  readonly steps: readonly Step[];
}

/** One entry of `GET /lab/explorations`. */
export interface ExplorationResult extends Omit<ExplorationRecord, 'counterexample'> {
  /** Whether there is a counterexample. */
  readonly broken: boolean;
}
