import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Evidence } from '../../contract/evidence.js';
import { type StrategyListing } from '../../contract/strategy.js';
import { DataFolder } from '../data-folder.js';
import { engineMissing } from '../engines/missing.js';
import { type EvidenceStore } from '../evidence/evidence-store.js';
import { ProcessReaper } from '../processes/process-reaper.js';
import { type Subscribers } from '../test-bed/recorder.js';
import { TestBed } from '../test-bed/test-bed.js';
import { allExperiments } from './catalogue.js';
import { type Experiment, perform } from './experiment.js';
import { FreeTestBeds } from './free-test-beds.js';

/** Experiments wait for leases and restarts most of the time, so two cores serve three test beds. */
const MOST_TEST_BEDS = 3;
/** Fewer experiments than this do not repay the start of another test bed. */
const WORTH_A_TEST_BED = 12;

/** Runs experiments on test beds in temporary folders: one experiment at a time on each. */
export class ExperimentRunner {
  private readonly free: FreeTestBeds<TestBed>;

  private constructor(
    private readonly reaper: ProcessReaper,
    private readonly testBeds: TestBed[],
    readonly strategies: readonly StrategyListing[],
    readonly experiments: readonly Experiment[],
    readonly store: EvidenceStore,
    private readonly env: Readonly<Record<string, string>>,
  ) {
    this.free = new FreeTestBeds(testBeds);
  }

  static async open(
    store: EvidenceStore,
    env: Readonly<Record<string, string>> = {},
  ): Promise<ExperimentRunner> {
    const reaper = new ProcessReaper();
    let testBed: TestBed | undefined;
    try {
      testBed = await openTestBed(reaper, env);
      // What is not available yet starts with the first experiment that needs it.
      const strategies = (await testBed.strategies())
        .filter(({ family }) => family !== 'specimen')
        .map((strategy) => ({ ...strategy, available: engineMissing(strategy.needs) === undefined }));
      return new ExperimentRunner(reaper, [testBed], strategies, allExperiments(strategies), store, env);
    } catch (error) {
      // Otherwise its servers would be restarted when the reaper ends them.
      await testBed?.close().catch(() => undefined);
      await reaper.close();
      throw error;
    }
  }

  /**
   * For a series of experiments: further test beds, all servers, and instances in reserve, so that no experiment waits for
   * a restart after the one before.
   */
  async prepare(experiments: readonly Experiment[]): Promise<void> {
    if (experiments.length <= 2) return;
    const wanted = Math.min(MOST_TEST_BEDS, Math.ceil(experiments.length / WORTH_A_TEST_BED));
    const possible = experiments.filter(({ missing }) => missing?.() === undefined);
    const strategies = new Set(possible.map(({ strategy }) => strategy));
    const leases = new Set(possible.map(({ lease }) => lease));
    const equip = (testBed: TestBed) =>
      Promise.all([
        testBed.startServers(strategies),
        ...[...leases].map((lease) => testBed.instances.prepareSpares(lease)),
      ]);
    await Promise.all(this.testBeds.map(equip));
    const missing = Math.max(0, wanted - this.testBeds.length);
    await Promise.all(
      Array.from({ length: missing }, async () => {
        const testBed = await openTestBed(this.reaper, this.env);
        this.testBeds.push(testBed);
        await equip(testBed);
        this.free.add(testBed);
      }),
    );
  }

  /** Runs an experiment as soon as a test bed is free, and saves its evidence. */
  async perform(experiment: Experiment, subscribers?: Subscribers): Promise<Evidence> {
    const evidence = await this.free.use((testBed) => perform(experiment, testBed, subscribers));
    this.store.save(evidence);
    return evidence;
  }

  /** Stops all servers. Experiments that have not begun are not run. */
  async close(): Promise<void> {
    this.free.close();
    await Promise.all(this.testBeds.map((testBed) => testBed.close()));
    await this.reaper.close();
  }
}

async function openTestBed(reaper: ProcessReaper, env: Readonly<Record<string, string>>): Promise<TestBed> {
  const folder = new DataFolder(mkdtempSync(join(tmpdir(), 'lockstock-testBed-')));
  reaper.addFile(folder.path);
  await folder.occupy({ fresh: false });
  return TestBed.open(folder, reaper, env);
}
