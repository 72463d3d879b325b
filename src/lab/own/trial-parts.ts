import { LabError } from '../errors.js';

/** A part of the trial that could not be done, and why. */
export interface Untested {
  readonly part: string;
  readonly why: string;
}

/** Carries out the parts of a trial. A part that fails does not discard the others. */
export class TrialParts {
  readonly untested: Untested[] = [];

  constructor(private readonly stop: AbortSignal) {}

  /** Does a part. An error that the lab explains is noted; after Ctrl-C it is not, because the servers are being stopped. */
  async attempt(part: string, work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      if (!(error instanceof LabError)) throw error;
      if (!this.stop.aborted) this.untested.push({ part, why: error.message });
    }
  }
}
