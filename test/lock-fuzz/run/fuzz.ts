import { type History } from '../history.js';
import { judge } from '../judge/judge.js';
import { type Invariant, type Violation } from '../judge/violation.js';
import { type FuzzKind } from '../kinds/kind.js';
import { planOf } from '../plan/generate.js';
import { type Plan } from '../plan/plan.js';
import { Inspector } from './inspector.js';
import { Lane } from './lane.js';
import { type ServerPlaces } from './proxied.js';
import { runPlan } from './run-plan.js';
import { type ProcessReaper } from '../../../src/lab/processes/process-reaper.js';

/** A run that broke a promise. */
export interface Failure {
  readonly seed: number | undefined;
  readonly history: History;
  readonly violations: readonly Violation[];
}

export interface Seed {
  readonly kind: FuzzKind;
  readonly seed: number;
}

export interface FuzzerOptions {
  /** How many plans run at the same time. */
  readonly parallel: number;
  readonly ignored?: readonly Invariant[];
}

/** Runs plans on real servers, several at a time, and judges what happened. */
export class Fuzzer {
  private readonly lanes: Lane[];
  private readonly ignored: ReadonlySet<Invariant>;

  private constructor(
    private readonly servers: ServerPlaces,
    private readonly inspector: Inspector,
    reaper: ProcessReaper,
    { parallel, ignored = [] }: FuzzerOptions,
  ) {
    this.ignored = new Set(ignored);
    this.lanes = Array.from({ length: parallel }, () => new Lane(reaper));
  }

  static async open(servers: ServerPlaces, reaper: ProcessReaper, options: FuzzerOptions): Promise<Fuzzer> {
    return new Fuzzer(servers, await Inspector.open(servers), reaper, options);
  }

  /** All seeds, until the signal is aborted. */
  async seeds(
    seeds: readonly Seed[],
    onSeed: (failure: Failure | undefined, seed: Seed) => void,
    stop?: AbortSignal,
  ): Promise<void> {
    const left = [...seeds];
    await this.inEachLane(async (lane) => {
      for (let next = left.shift(); next && !stop?.aborted; next = left.shift()) {
        const failure = await this.once(planOf(next.kind, next.seed), lane, next.seed);
        if (!stop?.aborted) onSeed(failure, next);
      }
    });
  }

  /** The same plan up to so many times; answers the failures. With `enough` it stops at the first. */
  async repeat(plan: Plan, times: number, enough = Infinity, stop?: AbortSignal): Promise<Failure[]> {
    const failures: Failure[] = [];
    let left = times;
    await this.inEachLane(async (lane) => {
      while (left > 0 && failures.length < enough && !stop?.aborted) {
        left -= 1;
        const failure = await this.once(plan, lane);
        if (failure) failures.push(failure);
      }
    });
    return failures;
  }

  async close(): Promise<void> {
    await Promise.all(this.lanes.map((lane) => lane.stop()));
    await this.inspector.close();
  }

  private async inEachLane(work: (lane: Lane) => Promise<void>): Promise<void> {
    await Promise.all(this.lanes.map(work));
  }

  private async once(plan: Plan, lane: Lane, seed?: number): Promise<Failure | undefined> {
    const history = await runPlan(plan, { servers: this.servers, inspector: this.inspector }, lane);
    const violations = judge(history).filter(({ invariant }) => !this.ignored.has(invariant));
    return violations.length > 0 ? { seed, history, violations } : undefined;
  }
}
