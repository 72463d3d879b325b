import { Instance } from '../engines/instance.js';
import { type Child } from '../processes/child.js';
import { stateOf } from '../processes/proc.js';

/** An instance of the service on the stage. Nobody starts it again when it dies, until an experiment wants it. */
export class Player {
  private child: Child | undefined;
  private starting: Promise<void> | undefined;

  constructor(private readonly engine: Instance) {}

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

  get serving(): boolean {
    return this.running && this.starting === undefined;
  }

  /** Starts it if it does not run; `serving` tells when it does. What keeps it from starting is in its log. */
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

  /** Once it is no longer starting, if it was. */
  async begun(): Promise<void> {
    await this.starting;
  }

  /** T while it is stopped; undefined when there is no such process any more. */
  get state(): string | undefined {
    return stateOf(this.pid);
  }

  signal(signal: NodeJS.Signals): void {
    this.child?.signal(signal);
  }

  async stop(): Promise<void> {
    await this.begun();
    // One that is stopped cannot hear the request to end.
    this.signal('SIGCONT');
    await this.child?.stop();
  }
}
