import { type Evidence } from '../../../contract/evidence.js';
import { type ExperimentView } from '../../../contract/lab-experiments.js';
import { type Matrix } from '../../../contract/matrix.js';
import { type StrategyListing } from '../../../contract/strategy.js';
import { type EvidenceStore } from '../../evidence/evidence-store.js';
import { allExperiments } from '../../experiments/catalogue.js';
import { ExperimentRunner } from '../../experiments/experiment-runner.js';
import { type Experiment } from '../../experiments/experiment.js';
import { matrixOf } from '../../experiments/matrix/matrix.js';
import { type Report } from '../../processes/supervisor.js';
import { EventLog, type Events } from '../event-log.js';
import { Refusal } from '../refusal.js';

export interface ExperimentsOptions {
  readonly store: EvidenceStore;
  /** The strategies of the shop. */
  readonly strategies: () => Promise<readonly StrategyListing[]>;
  readonly report: Report;
}

/** After this time without an experiment, the servers for experiments are stopped. */
const IDLE_MS = 120_000;

/** Experiments of a running lab. They use separate servers, which are started for the first experiment. */
export class Experiments {
  private runner: Promise<ExperimentRunner> | undefined;
  private running: string | undefined;
  private idle: NodeJS.Timeout | undefined;
  private readonly logs = new Map<string, EventLog>();

  constructor(private readonly options: ExperimentsOptions) {}

  async list(): Promise<ExperimentView[]> {
    const { all } = this.options.store;
    return (await this.known()).map(({ id, title, claims, strategy, fault, expected, twinOf, missing }) => {
      const last = all.get(id);
      const why = missing?.();
      return {
        id,
        title,
        claims,
        strategy,
        fault,
        expected,
        ...(twinOf !== undefined && { twinOf }),
        needs: why === undefined ? [] : [why],
        ...(last && {
          last: { ok: last.ok, verdict: last.verdict },
        }),
      };
    });
  }

  async matrix(): Promise<Matrix> {
    return matrixOf(await this.options.strategies(), this.options.store.all);
  }

  async evidence(id: string): Promise<Evidence> {
    await this.find(id);
    const evidence = this.options.store.all.get(id);
    if (!evidence) throw new Refusal(404, 'no-evidence', 'This experiment has not been run yet.');
    return evidence;
  }

  /** Starts the experiment. Its events report what happens. */
  async run(id: string): Promise<void> {
    const experiment = await this.find(id);
    const missing = experiment.missing?.();
    if (missing !== undefined) throw new Refusal(503, 'engine-unavailable', missing);
    if (this.running !== undefined) {
      throw new Refusal(409, 'run-in-progress', 'Another experiment is running.', { id: this.running });
    }
    clearTimeout(this.idle);
    this.running = id;
    const log = new EventLog();
    this.logs.set(id, log);
    void this.perform(experiment, log).finally(() => {
      this.running = undefined;
      this.idle = setTimeout(() => void this.close(), IDLE_MS);
      this.idle.unref();
    });
  }

  async events(id: string): Promise<Events> {
    await this.find(id);
    const log = this.logs.get(id);
    if (!log)
      throw new Refusal(404, 'no-evidence', 'This experiment has not been run since the lab was started.');
    return log;
  }

  async close(): Promise<void> {
    clearTimeout(this.idle);
    const { runner } = this;
    this.runner = undefined;
    await runner?.then(
      (open) => open.close(),
      () => undefined,
    );
  }

  private async perform({ id }: Experiment, log: EventLog): Promise<void> {
    try {
      this.runner ??= ExperimentRunner.open(this.options.store);
      const runner = await this.runner;
      const experiment = runner.experiments.find((known) => known.id === id);
      if (!experiment) throw new Error(`${id} is not known on the testBed`);
      const evidence = await runner.perform(experiment, {
        step: (step) => {
          log.append('step', step);
        },
        returned: (step, answer) => {
          log.append('returned', { step, answer });
        },
        proof: (proof) => {
          log.append('proof', proof);
        },
      });
      log.append('end', { ok: evidence.ok, verdict: evidence.verdict, why: evidence.why });
    } catch (error) {
      this.options.report(`experiment ${id}: ${(error as Error).message}`);
      // The state of the servers is unknown: the next experiment gets new ones.
      await this.close();
      log.append('end', {
        ok: false,
        why: 'The experiment could not be carried out; the terminal says why.',
      });
    } finally {
      log.end();
    }
  }

  private async known(): Promise<Experiment[]> {
    return allExperiments(await this.options.strategies());
  }

  private async find(id: string): Promise<Experiment> {
    const found = (await this.known()).find((experiment) => experiment.id === id);
    if (!found) throw new Refusal(404, 'unknown-experiment', 'There is no experiment of that name.');
    return found;
  }
}
