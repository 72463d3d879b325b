import { type Event } from '../history.js';
import { type FuzzKind } from '../kinds/kind.js';
import { type FuzzPlaces } from '../kinds/places.js';
import { type Caller, type Settings } from '../plan/plan.js';
import { perform } from './caller.js';
import { type FuzzClient } from './fuzz-client.js';
import { logLag } from './lag.js';
import { ClientLog } from './log.js';

/** What a client needs to know to open its lock: plain data, for workers. */
export interface ClientJob {
  readonly client: number;
  readonly kind: string;
  readonly places: FuzzPlaces;
  readonly settings: Settings;
}

export interface NamedCaller {
  readonly id: string;
  readonly caller: Caller;
}

/** One client of a plan, wherever it runs: in the fuzzer's own process or in a worker. */
export interface ClientRun {
  perform(callers: readonly NamedCaller[], startAt: number): Promise<void>;
  close(): Promise<void>;
}

/** In this process. */
export class LocalClientRun implements ClientRun {
  private readonly stopLag: () => void;

  private constructor(
    private readonly client: FuzzClient,
    private readonly log: ClientLog,
  ) {
    this.stopLag = logLag(log);
  }

  static async open(kind: FuzzKind, job: ClientJob, write: (event: Event) => void): Promise<LocalClientRun> {
    return new LocalClientRun(await kind.open(job.places, job.settings), new ClientLog(job.client, write));
  }

  async perform(callers: readonly NamedCaller[], startAt: number): Promise<void> {
    await Promise.all(callers.map(({ id, caller }) => perform(this.client, this.log, id, caller, startAt)));
  }

  async close(): Promise<void> {
    this.stopLag();
    await this.client.close();
  }
}
