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
    /** Played on the servers. */
    readonly run: number;
    /** Not played, because they are equivalent to one that was. */
    readonly pruned: number;
    /** Whether every schedule was run or pruned. */
    readonly complete: boolean;
    /** The bound on context switches, if there was one. */
    readonly switches?: number;
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
