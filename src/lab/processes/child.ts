import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, mkdirSync, openSync, readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { LabError } from '../errors.js';
import { type ProcessReaper } from './process-reaper.js';
import { keepBounded } from './log-rotation.js';
import { signalGroup } from './proc.js';

export interface ChildOptions {
  readonly name: string;
  readonly command: string;
  readonly args: readonly string[];
  readonly env?: NodeJS.ProcessEnv;
  /** The working directory; by default that of the lab. */
  readonly cwd?: string;
  readonly logFile: string;
  readonly reaper: ProcessReaper;
  /** The signal for a graceful stop, which is not SIGTERM for nginx and others. */
  readonly stopSignal?: NodeJS.Signals;
}

const POLL_MS = 30;
const STOP_GRACE_MS = 10_000;

/** A server process of the lab: in a process group of its own, writing to its log file, known to the reaper. */
export class Child {
  readonly exited: Promise<string>;
  private readonly process: ChildProcess;
  private ended: string | undefined;

  constructor(private readonly options: ChildOptions) {
    mkdirSync(dirname(options.logFile), { recursive: true });
    const log = openSync(options.logFile, 'a');
    this.process = spawn(options.command, options.args, {
      detached: true,
      stdio: ['ignore', log, log],
      env: options.env ?? { PATH: process.env['PATH'] ?? '' },
      ...(options.cwd !== undefined && { cwd: options.cwd }),
    });
    closeSync(log);
    const letGrow = keepBounded(options.logFile);
    this.exited = new Promise((resolve) => {
      const end = (how: string) => {
        this.ended = how;
        letGrow();
        // Its children are also killed: nginx's workers would keep the port when their master is killed.
        if (this.process.pid !== undefined) signalGroup(this.process.pid, 'SIGKILL');
        if (this.process.pid !== undefined) options.reaper.remove(this.process.pid);
        resolve(how);
      };
      this.process.once('error', (error) => {
        end(error.message);
      });
      this.process.once('exit', (code, signal) => {
        end(signal ? `ended by ${signal}` : `exit code ${code ?? 0}`);
      });
    });
    if (this.process.pid !== undefined) options.reaper.add(this.process.pid);
  }

  get pid(): number {
    return this.process.pid ?? 0;
  }

  get running(): boolean {
    return this.ended === undefined;
  }

  /** Waits until the server answers; a server that ends first is an error that shows the end of its log. */
  async ready(answers: () => Promise<boolean>, withinMs = 60_000): Promise<void> {
    const giveUpAt = performance.now() + withinMs;
    for (;;) {
      if (this.ended !== undefined)
        throw new LabError(`${this.options.name} did not start (${this.ended}).\n${this.logEnd()}`);
      if (await answers().catch(() => false)) return;
      if (performance.now() > giveUpAt) {
        await this.stop();
        throw new LabError(
          `${this.options.name} did not answer within ${withinMs / 1000} s.\n${this.logEnd()}`,
        );
      }
      await sleep(POLL_MS);
    }
  }

  signal(signal: NodeJS.Signals): void {
    if (this.running) process.kill(this.pid, signal);
  }

  /** Sends the stop signal, and after a while SIGKILL. */
  async stop(): Promise<void> {
    if (!this.running) return;
    this.signal(this.options.stopSignal ?? 'SIGTERM');
    const tooLong = setTimeout(() => {
      signalGroup(this.pid, 'SIGKILL');
    }, STOP_GRACE_MS);
    await this.exited;
    clearTimeout(tooLong);
  }

  /** The last lines of its log, for a message. */
  logEnd(): string {
    const lines = readFileSync(this.options.logFile, 'utf8').trimEnd().split('\n').slice(-12);
    return `The end of ${this.options.logFile}:\n${lines.map((line) => `  ${line}`).join('\n')}`;
  }
}
