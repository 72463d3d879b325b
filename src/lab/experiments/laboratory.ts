import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type StrategyListing } from '../../contract/strategy.js';
import { DataFolder } from '../data-folder.js';
import { Guard } from '../processes/guard.js';
import { allExperiments } from './catalogue.js';
import { type EvidenceStore } from './evidence-store.js';
import { type Evidence } from './evidence.js';
import { type Experiment, perform } from './experiment.js';
import { type Audience } from './recorder.js';
import { Stage } from './stage.js';

/** A stage with everything that can be performed on it. It lives in a folder of its own that is gone afterwards. */
export class Laboratory {
  private constructor(
    private readonly guard: Guard,
    private readonly stage: Stage,
    readonly strategies: readonly StrategyListing[],
    readonly experiments: readonly Experiment[],
    readonly store: EvidenceStore,
  ) {}

  static async open(store: EvidenceStore): Promise<Laboratory> {
    const guard = new Guard();
    try {
      const folder = new DataFolder(mkdtempSync(join(tmpdir(), 'lockstock-stage-')));
      guard.addFile(folder.path);
      await folder.occupy({ fresh: false });
      const stage = await Stage.open(folder, guard);
      const strategies = await stage.strategies();
      return new Laboratory(guard, stage, strategies, allExperiments(strategies), store);
    } catch (error) {
      await guard.close();
      throw error;
    }
  }

  /** Starts the instances that these will need, and waits for those of the first scene. */
  async prepare(experiments: readonly Experiment[]): Promise<void> {
    const { troupe } = this.stage;
    const leases = new Set(experiments.map(({ lease }) => lease));
    await Promise.all([...leases].map((lease) => troupe.prepare(lease)));
    await Promise.all([...leases].map((lease) => troupe.players(lease, 2)));
  }

  /** Performs an experiment and keeps what it has shown. */
  async perform(experiment: Experiment, audience?: Audience): Promise<Evidence> {
    const evidence = await perform(experiment, this.stage, audience);
    this.store.save(evidence);
    return evidence;
  }

  async close(): Promise<void> {
    await this.stage.close();
    await this.guard.close();
  }
}
