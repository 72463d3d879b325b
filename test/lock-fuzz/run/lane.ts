import { type ProcessReaper } from '../../../src/lab/processes/process-reaper.js';
import { isWorker, LOCAL_CLIENTS } from '../plan/plan.js';
import { WorkerProcess } from './worker-process.js';

/** Runs one plan at a time, with worker processes of its own: a fault may stop or kill them. */
export class Lane {
  private readonly workers: (WorkerProcess | undefined)[] = [];

  constructor(private readonly reaper: ProcessReaper) {}

  /** The worker of a client, started when it is first needed. */
  worker(client: number): WorkerProcess {
    if (!isWorker(client)) throw new RangeError(`Client ${client} has no worker process.`);
    const index = client - LOCAL_CLIENTS;
    const present = this.workers[index];
    if (present?.alive) return present;
    return (this.workers[index] = new WorkerProcess(this.reaper));
  }

  /** A worker in an unknown state is not used again. */
  replaceWorkers(): void {
    for (const worker of this.workers.splice(0)) worker?.kill();
  }

  async stop(): Promise<void> {
    await Promise.all(this.workers.filter((worker) => worker !== undefined).map((worker) => worker.stop()));
  }
}
