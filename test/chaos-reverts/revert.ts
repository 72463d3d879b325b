import { type FaultName, type Menu } from '../../src/lab/chaos/plan/generate.js';
import { type PromiseName } from '../../src/lab/chaos/judge/violation.js';

/** Text of one file of the build, and what replaces it. */
export interface Edit {
  readonly file: string;
  /** Must be in the file exactly once: an edit that no longer applies fails the test. */
  readonly from: string;
  readonly to: string;
}

/** A fix that is taken out of the build. The checker must find it. */
export interface Revert {
  readonly name: string;
  readonly edits: readonly Edit[];
  /** What the clients do; a round with this seed finds it nearly always, a few rounds always. */
  readonly strategies: readonly string[];
  readonly mode: Menu['mode'];
  readonly seed: number;
  /** Default: one. */
  readonly instances?: number;
  /** The gateway takes an instance out of service after a failure, as it does without `max_fails=0`. */
  readonly ejects?: boolean;
  /** Settings of the instance. */
  readonly env?: Readonly<Record<string, string>>;
  /** Strategies that are not enabled; `STRATEGIES` of `env` does not name them. */
  readonly disabled?: readonly string[];
  readonly clients?: number;
  readonly without?: Menu['without'];
  readonly faults?: readonly FaultName[];
  readonly goods?: number;
  readonly finds: { readonly promise: PromiseName; readonly sentence: RegExp };
}
