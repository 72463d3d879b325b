import type { Evidence, Proof, Step } from './evidence.js';
import type { Finding } from './verdict.js';

/** One entry of `GET /lab/experiments`. */
export interface ExperimentView extends Pick<
  Evidence,
  'id' | 'title' | 'claims' | 'strategy' | 'fault' | 'expected' | 'twinOf'
> {
  /** Why it cannot run on this machine, in sentences; empty when it can. */
  readonly needs: readonly string[];
  readonly last?: {
    readonly ok: boolean;
    readonly verdict: Finding;
  };
}

export interface ReturnedAnswer {
  /** The command's place among the steps so far, from 0. */
  readonly step: number;
  readonly answer: string;
}

/** How an experiment ended: without a verdict when it could not be carried out. */
export interface ExperimentEnd {
  readonly ok: boolean;
  readonly verdict?: Finding;
  readonly why: string;
}

/** The events of `GET /lab/experiments/:id/stream`, by name. */
export interface ExperimentEvents {
  readonly step: Step;
  /** What a server returned to a command that was an earlier step. */
  readonly returned: ReturnedAnswer;
  readonly proof: Proof;
  readonly end: ExperimentEnd;
}
