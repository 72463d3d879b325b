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

/** Runs experiments on a test bed in a temporary folder. */
export class ExperimentRunner {
  private constructor(
    private readonly reaper: ProcessReaper,
    private readonly testBed: TestBed,
    readonly strategies: readonly StrategyListing[],
    readonly experiments: readonly Experiment[],
    readonly store: EvidenceStore,
  ) {}

  static async open(store: EvidenceStore): Promise<ExperimentRunner> {
    const reaper = new ProcessReaper();
    try {
      const folder = new DataFolder(mkdtempSync(join(tmpdir(), 'lockstock-testBed-')));
      reaper.addFile(folder.path);
      await folder.occupy({ fresh: false });
      const testBed = await TestBed.open(folder, reaper);
      // What is not available yet starts with the first experiment that needs it.
      const strategies = (await testBed.strategies())
        .filter(({ family }) => family !== 'specimen')
        .map((strategy) => ({ ...strategy, available: engineMissing(strategy.needs) === undefined }));
      return new ExperimentRunner(reaper, testBed, strategies, allExperiments(strategies), store);
    } catch (error) {
      await reaper.close();
      throw error;
    }
  }

  /** For a series of experiments: instances in reserve, so that none of them waits for a restart after the one before. */
  async prepare(experiments: readonly Experiment[]): Promise<void> {
    const { instances } = this.testBed;
    const leases = new Set(experiments.map(({ lease }) => lease));
    if (experiments.length > 2) await Promise.all([...leases].map((lease) => instances.prepareSpares(lease)));
  }

  /** Runs an experiment and saves its evidence. */
  async perform(experiment: Experiment, subscribers?: Subscribers): Promise<Evidence> {
    const evidence = await perform(experiment, this.testBed, subscribers);
    this.store.save(evidence);
    return evidence;
  }

  async close(): Promise<void> {
    await this.testBed.close();
    await this.reaper.close();
  }
}
