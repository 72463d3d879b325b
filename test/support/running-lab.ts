import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '../../src/lab/ports.js';
import { Command } from './command.js';

/** `lockstock up` as a person runs it, in a folder of its own, that can be stopped and started again. */
export class RunningLab {
  private command: Command | undefined;

  private constructor(
    private readonly data: string,
    private readonly port: number,
    private readonly instances: number,
  ) {}

  static async open({ instances }: { readonly instances: number }): Promise<RunningLab> {
    const lab = new RunningLab(mkdtempSync(join(tmpdir(), 'lockstock-page-')), await freePort(), instances);
    await lab.start();
    return lab;
  }

  get url(): string {
    return `http://localhost:${this.port}`;
  }

  get token(): string {
    return /admin token {2}(\S+)/.exec(this.command?.said ?? '')?.[1] ?? '';
  }

  async start(): Promise<void> {
    const { data, port, instances } = this;
    const args = ['up', '--data', data, '--port', String(port), '--instances', String(instances)];
    this.command = Command.run(args, { ...process.env, NO_COLOR: '1' });
    await this.command.says('Lockstock is ready');
  }

  async stop(): Promise<void> {
    this.command?.child.kill('SIGINT');
    await this.command?.ended;
    this.command = undefined;
  }

  async close(): Promise<void> {
    await this.stop();
    rmSync(this.data, { recursive: true, force: true });
  }

  /** Kills this instance of the service if it runs now; the lab starts it again. */
  killInstance(name: string): void {
    const { children } = JSON.parse(readFileSync(join(this.data, 'lab.json'), 'utf8')) as {
      readonly children: readonly { readonly pid: number }[];
    };
    const running = children.find(({ pid }) => environmentOf(pid).includes(`INSTANCE=${name}`));
    if (running) process.kill(running.pid, 'SIGKILL');
  }
}

/** Empty when the process has ended. */
function environmentOf(pid: number): string[] {
  try {
    return readFileSync(`/proc/${pid}/environ`, 'utf8').split('\0');
  } catch {
    return [];
  }
}
