import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { ROOT } from '../../../src/lab/paths.js';
import { type ProcessReaper } from '../../../src/lab/processes/process-reaper.js';
import { type ClientJob, type ClientRun, type NamedCaller } from '../client/client-run.js';
import { type Event } from '../history.js';
import { type Order, type Report } from './worker.js';

const TEST = join(ROOT, 'test');

/** A worker process, which runs one client of a plan at a time and is kept for the next plan. */
export class WorkerProcess implements ClientRun {
  private readonly child: ChildProcess;
  private readonly exited: Promise<readonly string[]>;
  private write: (event: Event) => void = () => undefined;
  private answer: ((report: Extract<Report, { done: unknown }>) => void) | undefined;

  /** Node's own `killed` is also set by SIGSTOP. */
  private killed = false;

  constructor(private readonly reaper: ProcessReaper) {
    const program = join(TEST, 'support/run-typescript.cjs');
    this.child = fork(program, [join(TEST, 'lock-fuzz/run/worker.ts')], { execArgv: [] });
    this.exited = once(this.child, 'exit').then(() => {
      if (this.child.pid !== undefined) reaper.remove(this.child.pid);
      return [];
    });
    // A worker that was paused cannot end by itself.
    if (this.child.pid !== undefined) this.reaper.add(this.child.pid);
    this.child.on('error', () => undefined);
    this.child.on('message', (report: Report) => {
      if ('event' in report) this.write(report.event);
      else this.answer?.(report);
    });
  }

  get alive(): boolean {
    return this.child.exitCode === null && this.child.signalCode === null && !this.killed;
  }

  async open(job: ClientJob, write: (event: Event) => void): Promise<void> {
    this.write = write;
    await this.tell({ do: 'open', job });
  }

  async perform(callers: readonly NamedCaller[], startAt: number): Promise<void> {
    await this.tell({ do: 'perform', callers, startAt });
  }

  async close(): Promise<void> {
    if (this.alive) await this.tell({ do: 'close' });
    this.write = () => undefined;
  }

  /** Which functions set the timers that were set since `open` and still run. */
  async timers(): Promise<readonly string[]> {
    return this.alive ? this.tell({ do: 'list timers' }) : [];
  }

  /** SIGKILL ends a stopped process as well. */
  kill(): void {
    this.killed = true;
    this.child.kill('SIGKILL');
  }

  pause(): () => void {
    this.child.kill('SIGSTOP');
    return () => this.child.kill('SIGCONT');
  }

  async stop(): Promise<void> {
    this.kill();
    await this.exited;
  }

  /** Resolves when the order is done, or when the process has ended. */
  private async tell(order: Order): Promise<readonly string[]> {
    const done = new Promise<readonly string[]>((resolve, reject) => {
      this.answer = ({ error, timers = [] }) => {
        if (error === undefined) resolve(timers);
        else reject(new Error(`A worker failed to ${order.do}: ${error}`));
      };
    });
    if (this.child.connected) this.child.send(order, () => undefined);
    return Promise.race([done, this.exited]);
  }
}
