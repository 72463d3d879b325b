import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { ROOT } from '../paths.js';
import { type ProcessReaper } from '../processes/process-reaper.js';

const TSC = join(ROOT, 'node_modules/typescript/bin/tsc');
const STARTED = /(File change detected|Starting compilation)/;
const CHECKED = /Found (\d+) errors?\. Watching for file changes\./;

interface TypeCheckerOptions {
  /** The project whose types are checked: its tsconfig.json, or the folder of it. */
  readonly project: string;
  readonly reaper: ProcessReaper;
  /** A line of an error, as tsc shows it. */
  readonly onOutput: (line: string) => void;
  /** All sources of the project were checked. */
  readonly onChecked: () => void;
  readonly onEnd: () => void;
}

/** tsc, which checks the types of a project after every change of a source. */
export class TypeChecker {
  /** Of the last check; undefined until the first one has ended. */
  errors: number | undefined;
  private checking = true;
  private startedAt = Date.now();
  private editedAt = 0;
  private readonly tsc: ChildProcess;
  private stopping = false;

  constructor(private readonly options: TypeCheckerOptions) {
    // Not --build: it would take a file for checked that is edited while the check of its last state runs.
    const args = [TSC, '--project', options.project, '--noEmit', '--watch', '--preserveWatchOutput'];
    this.tsc = spawn(process.execPath, process.stderr.isTTY ? [...args, '--pretty'] : args, {
      cwd: ROOT,
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const { pid, stdout } = this.tsc;
    if (pid !== undefined) options.reaper.add(pid);
    if (stdout)
      createInterface({ input: stdout }).on('line', (line) => {
        this.read(line);
      });
    this.tsc.once('close', () => {
      if (pid !== undefined) options.reaper.remove(pid);
      if (!this.stopping) options.onEnd();
    });
  }

  /** Whether the sources were checked as they are now, without an error. If not, `onChecked` is called later. */
  get current(): boolean {
    return this.errors === 0 && !this.checking && this.editedAt <= this.startedAt;
  }

  /** A source was edited at this time, in milliseconds. */
  edited(at: number): void {
    this.editedAt = Math.max(this.editedAt, at);
  }

  async stop(): Promise<void> {
    this.stopping = true;
    if (this.tsc.exitCode !== null || this.tsc.signalCode !== null) return;
    const closed = once(this.tsc, 'close');
    this.tsc.kill();
    await closed;
  }

  private read(line: string): void {
    const errors = CHECKED.exec(line)?.[1];
    if (STARTED.test(line)) {
      this.startedAt = Date.now();
      this.checking = true;
    } else if (errors !== undefined) {
      this.errors = Number(errors);
      this.checking = false;
      this.options.onChecked();
    } else if (line.trim() !== '') this.options.onOutput(line);
  }
}
