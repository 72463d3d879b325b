import { setTimeout as sleep } from 'node:timers/promises';
import { type Child } from './child.js';

/** A server that the lab can start and restart. */
export interface Engine {
  readonly name: string;
  /** Starts the process and resolves when it answers. */
  launch(): Promise<Child>;
}

export type Report = (message: string) => void;

const PAUSES_MS = [100, 250, 500, 1000, 2000, 5000];
/** A server that ran for this time had started well: its next exit starts a new count of restarts. */
const STEADY_MS = 1000;

/** Keeps an engine running: an unexpected exit is reported and the engine restarted. */
export class Supervised {
  private child: Child | undefined;
  private stopping = false;
  private deaths = 0;
  private starting: Promise<Child> | undefined;
  private launches = 0;
  private readonly stopped = new AbortController();

  constructor(
    readonly engine: Engine,
    private readonly report: Report,
  ) {}

  get name(): string {
    return this.engine.name;
  }

  get pid(): number | undefined {
    return this.child?.running ? this.child.pid : undefined;
  }

  get state(): 'up' | 'starting' | 'down' {
    if (this.starting) return 'starting';
    return this.child?.running ? 'up' : 'down';
  }

  /** How often it was started again. */
  get restarts(): number {
    return Math.max(0, this.launches - 1);
  }

  /** Sends a signal to the engine's process, which must be running. */
  signal(signal: NodeJS.Signals): void {
    if (!this.child?.running) throw new Error(`${this.name} does not run`);
    this.child.signal(signal);
  }

  async start(): Promise<void> {
    await this.launch();
  }

  /** Stops the engine, if it runs, and starts it again. */
  async restart(): Promise<void> {
    await this.starting?.catch(() => undefined);
    const child = this.child;
    // The end of this process is no accident.
    this.child = undefined;
    await child?.stop();
    if (!this.stopping) await this.start();
  }

  async stop(): Promise<void> {
    this.stopping = true;
    this.stopped.abort();
    await this.child?.stop();
  }

  private async launch(): Promise<Child> {
    this.starting = this.engine.launch();
    try {
      this.child = await this.starting;
    } finally {
      this.starting = undefined;
    }
    this.launches += 1;
    if (this.stopping) await this.child.stop();
    void this.watch(this.child, performance.now());
    return this.child;
  }

  private async watch(child: Child, startedAt: number): Promise<void> {
    const how = await child.exited;
    if (this.stopping || this.child !== child) return;
    this.deaths = performance.now() - startedAt > STEADY_MS ? 1 : this.deaths + 1;
    const pause = PAUSES_MS[Math.min(this.deaths, PAUSES_MS.length) - 1];
    this.report(`${this.name} (pid ${child.pid}) died: ${how}. Restarting it.`);
    await sleep(pause, undefined, { signal: this.stopped.signal }).catch(() => undefined);
    if (this.stopped.signal.aborted || this.child !== child) return;
    try {
      const { pid } = await this.launch();
      this.report(`${this.name} runs again (pid ${pid}).`);
    } catch (error) {
      this.report((error as Error).message);
      void this.watch(child, performance.now());
    }
  }
}
