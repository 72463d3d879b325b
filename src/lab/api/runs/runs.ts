import { randomBytes } from 'node:crypto';
import {
  type LoadResult,
  type RunRecord,
  type RunSummary,
  type Sample,
  type RunConfig,
} from '../../../contract/lab-runs.js';
import { LabError } from '../../errors.js';
import { runLoad } from '../../load/run.js';
import { Target } from '../../load/target.js';
import { type Report } from '../../processes/supervisor.js';
import { EventLog, type Events } from '../event-log.js';
import { invalid, Refusal } from '../refusal.js';
import { type RunHistory } from './history.js';
import { appendEnd, eventsOf } from './record.js';

export interface RunsOptions {
  readonly history: RunHistory;
  readonly url: string;
  readonly adminToken: string;
  readonly instances: number;
  readonly report: Report;
}

/** The longest load of one strategy. */
const MAX_SECONDS = 600;

interface Current {
  record: RunRecord;
  readonly log: EventLog;
  readonly stop: AbortController;
  ended: Promise<void>;
}

/** The load runs of this lab: one at a time, because two would disturb each other's measurements. */
export class Runs {
  private current: Current | undefined;
  private starting = false;

  constructor(private readonly options: RunsOptions) {}

  list(): RunSummary[] {
    return this.options.history.list();
  }

  get(id: string): RunRecord {
    if (this.current?.record.id === id) return this.current.record;
    const record = this.options.history.get(id);
    if (!record) throw new Refusal(404, 'unknown-run', 'There is no such run.');
    return record;
  }

  events(id: string): Events {
    return this.current?.record.id === id ? this.current.log : eventsOf(this.get(id));
  }

  async start(config: RunConfig): Promise<string> {
    if (this.current || this.starting) {
      const id = this.current?.record.id;
      throw new Refusal(409, 'run-in-progress', 'Another run is in progress: wait for it, or stop it.', {
        id,
      });
    }
    this.starting = true;
    try {
      const target = await this.target(config);
      return this.begin(target, config);
    } finally {
      this.starting = false;
    }
  }

  stop(id: string): void {
    if (this.current?.record.id === id) this.current.stop.abort();
    else if (this.get(id).state !== 'running')
      throw new Refusal(409, 'run-ended', 'The run has already ended.');
  }

  /** Stops the run in progress, and waits until its record is written. */
  async close(): Promise<void> {
    this.current?.stop.abort();
    await this.current?.ended;
  }

  private async target({ strategies, instances }: RunConfig): Promise<Target> {
    if (instances !== undefined && instances > this.options.instances) {
      throw invalid(`instances: there are ${this.options.instances}`);
    }
    try {
      const target = await Target.open(this.options.url, this.options.adminToken);
      for (const name of strategies) {
        if (!target.strategies.has(name))
          throw invalid(`strategies: there is no strategy ${JSON.stringify(name)}`);
        target.strategy(name);
      }
      return target;
    } catch (error) {
      throw error instanceof LabError ? new Refusal(503, 'engine-unavailable', error.message) : error;
    }
  }

  private begin(target: Target, config: RunConfig): string {
    const now = new Date();
    const stamp = now.toISOString().slice(0, 19).replaceAll(/[-:]/g, '').replace('T', '-');
    const id = `${stamp}-${randomBytes(3).toString('hex')}`;
    const record: RunRecord = {
      id,
      startedAt: now.toISOString(),
      state: 'running',
      config,
      results: [],
      samples: {},
    };
    const log = new EventLog();
    const stop = new AbortController();
    this.options.history.save(record);
    const current: Current = { record, log, stop, ended: Promise.resolve() };
    this.current = current;
    current.ended = this.follow(target, current);
    return id;
  }

  /** Executes the run. In any case it ends with a record and an `end` event. */
  private async follow(target: Target, run: Current): Promise<void> {
    try {
      await this.loads(target, run);
      run.record = { ...run.record, state: run.stop.signal.aborted ? 'stopped' : 'done' };
    } catch (failure) {
      const known = failure instanceof LabError;
      if (!known) this.options.report(`load run: ${stackOf(failure)}`);
      run.record = { ...run.record, state: 'failed', error: known ? failure.message : 'The run failed.' };
    }
    try {
      this.options.history.save(run.record);
    } catch (failure) {
      // A full disk must not end the lab.
      this.options.report(`load run: its record could not be written. ${stackOf(failure)}`);
    }
    this.current = undefined;
    appendEnd(run.log, run.record);
  }

  private async loads(target: Target, run: Current): Promise<void> {
    const { strategies, stock, buyers, requests, instances } = run.record.config;
    const load = { stock, buyers, requests, instances, quantity: 1, retry: true, seconds: MAX_SECONDS };
    for (const strategy of strategies) {
      if (run.stop.signal.aborted) return;
      const samples: Sample[] = [];
      const result: LoadResult = await runLoad(target, strategy, load, {
        stop: run.stop.signal,
        onSample: (sample) => {
          samples.push(sample);
          run.record = { ...run.record, samples: { ...run.record.samples, [strategy]: samples } };
          run.log.append('sample', sample);
        },
      });
      run.record = { ...run.record, results: [...run.record.results, result] };
      run.log.append('result', result);
      this.options.history.save(run.record);
    }
  }
}

function stackOf(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
