import { InstanceEngine } from '../engines/instance.js';
import { type Child } from '../processes/child.js';
import { stateOf } from '../processes/proc.js';

/** An instance of the service for experiments. After a crash it stays down until `begin()` is called. */
export class Instance {
  private child: Child | undefined;
  private starting: Promise<void> | undefined;

  constructor(private readonly engine: InstanceEngine) {}

  get name(): string {
    return this.engine.name;
  }

  get url(): string {
    return this.engine.url;
  }

  get pid(): number {
    return this.child?.pid ?? 0;
  }

  get running(): boolean {
    return this.child?.running ?? false;
  }

  get isStarting(): boolean {
    return this.starting !== undefined;
  }

  get serving(): boolean {
    return this.running && !this.isStarting;
  }

  /** Starts it if it does not run, and does not wait; `serving` says when it is up. A failed start is in its log. */
  begin(): void {
    if (this.running || this.starting) return;
    this.starting = this.engine
      .launch()
      .then(
        (child) => {
          this.child = child;
        },
        () => undefined,
      )
      .finally(() => (this.starting = undefined));
  }

  /** Resolves when a start in progress has ended. */
  async begun(): Promise<void> {
    await this.starting;
  }

  /** The state letter of /proc: T while it is stopped, undefined when the process is gone. */
  get state(): string | undefined {
    return stateOf(this.pid);
  }

  signal(signal: NodeJS.Signals): void {
    this.child?.signal(signal);
  }

  async stop(): Promise<void> {
    await this.begun();
    // A stopped process does not handle SIGTERM.
    this.signal('SIGCONT');
    await this.child?.stop();
  }
}
