import { type Redis as Client } from 'ioredis';
import { type Child } from '../processes/child.js';
import { type Engine } from '../processes/supervisor.js';

export interface Server extends Engine {
  readonly port: number;
  ask<T>(question: (client: Client) => Promise<T>): Promise<T>;
}

/** A server of a topology. It is not restarted after a crash: the crash is the experiment. */
export class Node {
  private child: Child | undefined;

  constructor(private readonly server: Server) {}

  get name(): string {
    return this.server.name;
  }

  get port(): number {
    return this.server.port;
  }

  /** 0 before the first start. */
  get pid(): number {
    return this.child?.pid ?? 0;
  }

  get running(): boolean {
    return this.child?.running ?? false;
  }

  async start(): Promise<void> {
    this.child = await this.server.launch();
  }

  async stop(): Promise<void> {
    // A server that an experiment has stopped does not handle SIGTERM.
    this.signal('SIGCONT');
    await this.child?.stop();
  }

  signal(signal: NodeJS.Signals): void {
    this.child?.signal(signal);
  }

  /** Kills the process with SIGKILL and resolves when it has ended. */
  async kill(): Promise<void> {
    this.signal('SIGKILL');
    await this.child?.exited;
  }

  ask<T>(question: (client: Client) => Promise<T>): Promise<T> {
    return this.server.ask(question);
  }
}
