import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type StrategyListing } from '../../contract/strategy.js';
import { DataFolder } from '../data-folder.js';
import { closeAll } from '../close-all.js';
import { ProcessReaper } from '../processes/process-reaper.js';
import { TestBed } from '../test-bed/test-bed.js';
import { Counterexamples } from './counterexamples.js';
import { explorable } from './explorable.js';
import { ExploredBed } from './explored-bed.js';
import { expectationOf } from './expectation.js';
import { findingOf, isSafe, type ScheduleOutcome } from './outcome.js';
import { PartialOrder } from './partial-order.js';
import { RealSystem, type ExplorationPlan } from './real-system.js';
import { NotPlayable, play, type Played } from './replay.js';
import { Session } from './session.js';
import { type Coverage, Search, type SearchOptions } from './search.js';

export interface Exploration {
  readonly plan: ExplorationPlan;
  readonly coverage: Coverage;
  /** The bound on preemptions. */
  readonly bound: number | undefined;
  /** How many schedules there are; null when they were not all explored, or are too many to count. */
  readonly schedules: bigint | null;
  /** By verdict, how many of the runs. */
  readonly findings: Readonly<Record<string, number>>;
  /** Every way in which a schedule ended, once. */
  readonly outcomes: readonly ScheduleOutcome[];
  readonly counterexample: Played | undefined;
  readonly expected: 'safe' | 'broken';
  readonly ok: boolean;
  readonly seconds: number;
}

export interface ExploreOptions extends Omit<SearchOptions, 'reduced'> {
  /** False: also run schedules that only swap steps that commute. */
  readonly reduced?: boolean;
  /** Stop at the first schedule that breaks the strategy: it may not be the simplest one. */
  readonly first?: boolean;
  readonly onProgress?: (soFar: Coverage) => void;
}

/** Explores strategies on private servers. */
export class Explorer {
  private constructor(
    private readonly reaper: ProcessReaper,
    private readonly testBed: TestBed,
    readonly strategies: readonly StrategyListing[],
  ) {}

  /** `spares`: instances that take the place of those that a crash has killed. */
  static async open(
    instances: number,
    spares = 0,
    env: Readonly<Record<string, string>> = {},
  ): Promise<Explorer> {
    const reaper = new ProcessReaper();
    let testBed: TestBed | undefined;
    try {
      const folder = new DataFolder(mkdtempSync(join(tmpdir(), 'lockstock-explorer-')));
      reaper.addFile(folder.path);
      await folder.occupy({ fresh: false });
      const opened = (testBed = await TestBed.open(folder, reaper, env));
      await opened.explored(instances + spares);
      return new Explorer(reaper, opened, await opened.strategies(() => opened.explored(instances)));
    } catch (error) {
      // Its servers would be restarted when only the reaper ended them.
      await closeAll([async () => testBed?.close(), () => reaper.close()]).catch(() => undefined);
      throw error;
    }
  }

  /** The strategy or specimen of that name. */
  named(name: string): StrategyListing {
    return explorable(this.strategies, name);
  }

  async explore(plan: ExplorationPlan, options: ExploreOptions = {}): Promise<Exploration> {
    return this.with(plan, (system) => this.exploreOn(system, options));
  }

  /** Plays one schedule. If it ends before the run does, each buyer then goes on without a switch. */
  async replay(plan: ExplorationPlan, schedule: string): Promise<Played> {
    return this.with(plan, (system, bed) => play(system, bed, schedule));
  }

  /** A run whose steps the caller chooses. One at a time: sessions and explorations use the same servers. */
  async session(plan: ExplorationPlan): Promise<Session> {
    const { system, bed } = await this.prepare(plan);
    try {
      return await Session.begin(system, bed);
    } catch (error) {
      bed.close();
      throw error;
    }
  }

  async close(): Promise<void> {
    await closeAll([() => this.testBed.close(), () => this.reaper.close()]);
  }

  private async with<T>(
    plan: ExplorationPlan,
    work: (system: RealSystem, bed: ExploredBed) => Promise<T>,
  ): Promise<T> {
    const { system, bed } = await this.prepare(plan);
    try {
      return await work(system, bed);
    } finally {
      bed.close();
    }
  }

  private async prepare(plan: ExplorationPlan): Promise<{ system: RealSystem; bed: ExploredBed }> {
    const bed = await ExploredBed.open(this.testBed, plan.strategy);
    try {
      return { system: new RealSystem(bed, plan), bed };
    } catch (error) {
      bed.close();
      throw error;
    }
  }

  private async exploreOn(system: RealSystem, options: ExploreOptions): Promise<Exploration> {
    const { plan, bed } = system;
    const { onProgress, first = false, stop, ...limits } = options;
    const enough = new AbortController();
    const stops = AbortSignal.any([enough.signal, ...(stop ? [stop] : [])]);
    const started = performance.now();
    const findings: Record<string, number> = {};
    const outcomes = new Map<string, ScheduleOutcome>();
    const broken = new Counterexamples();
    let schedules: bigint | null = 0n;
    // Equivalent schedules may differ in their number of preemptions: a bound counts schedules, not their classes.
    const reduced = options.reduced ?? options.preemptions === undefined;
    const search = new Search(system, { ...limits, reduced, stop: stops }, ({ steps, outcome }, soFar) => {
      const finding = findingOf(outcome);
      findings[finding] = (findings[finding] ?? 0) + 1;
      outcomes.set(JSON.stringify(outcome), outcome);
      const order = new PartialOrder(steps);
      const count = reduced ? order.linearizations() : 1n;
      schedules = schedules === null || count === undefined ? null : schedules + count;
      if (!isSafe(outcome)) broken.add(order);
      if (!isSafe(outcome) && first) enough.abort();
      onProgress?.(soFar);
    });
    const coverage = await search.explore();
    const counterexample = await broken.shortest(async (ids) => {
      const played = await play(system, bed, ids).catch((error: unknown) => {
        // Another order of steps that were taken for independent: the next candidate is played.
        if (error instanceof NotPlayable) return undefined;
        throw error;
      });
      return played && !isSafe(played.outcome) ? played : undefined;
    });
    const expected = expectationOf(plan);
    const found = Object.keys(findings).some((finding) => finding !== 'SAFE') ? 'broken' : 'safe';
    return {
      ...{ plan, coverage, findings, counterexample, expected, bound: options.preemptions },
      schedules: coverage.complete ? schedules : null,
      outcomes: [...outcomes.values()],
      // One violation that happens again is enough for BROKEN; SAFE needs all schedules within the bound.
      ok: found === expected && (found === 'broken' ? counterexample !== undefined : coverage.complete),
      seconds: (performance.now() - started) / 1000,
    };
  }
}
