import { ROOT, serviceProgram } from '../paths.js';
import { Child } from '../processes/child.js';
import { type ProcessReaper } from '../processes/process-reaper.js';
import { type Engine } from '../processes/supervisor.js';

export interface InstanceOptions {
  readonly name: string;
  readonly port: number;
  readonly env: Readonly<Record<string, string>>;
  readonly logFile: string;
  readonly reaper: ProcessReaper;
  /** The project whose build runs, if it is not this one. */
  readonly root?: string | undefined;
  /** The program that runs, if it is not the service. */
  readonly program?: string | undefined;
  /** The port for a debugger, on loopback. */
  readonly inspectPort?: number | undefined;
}

/** One instance of the service. */
export class InstanceEngine implements Engine {
  readonly name: string;
  readonly url: string;

  constructor(private readonly options: InstanceOptions) {
    this.name = options.name;
    this.url = `http://127.0.0.1:${options.port}`;
  }

  async launch(): Promise<Child> {
    const { name, port, env, logFile, reaper, root = ROOT, program, inspectPort } = this.options;
    const inspect = inspectPort === undefined ? [] : [`--inspect=127.0.0.1:${inspectPort}`];
    const child = new Child({
      name,
      command: process.execPath,
      args: [...inspect, program ?? serviceProgram(root)],
      // TypeORM looks for the driver in the current folder, which may be any.
      cwd: root,
      // The lab's own environment is not passed on: the service gets only what is named here.
      env: { PATH: process.env['PATH'] ?? '', ...env, INSTANCE: name, HOST: '127.0.0.1', PORT: String(port) },
      logFile,
      reaper,
    });
    await child.ready(async () => (await fetch(`${this.url}/health/ready`)).ok);
    return child;
  }
}
