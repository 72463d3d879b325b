import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { ROOT } from '../paths.js';
import { type ProcessReaper } from '../processes/process-reaper.js';

const TSC = join(ROOT, 'node_modules/typescript/bin/tsc');
const PROJECTS = ['tsconfig.json', 'web'];
const CHECKED = /Found (\d+) errors?\. Watching for file changes\./;
/** Lines of tsc that are no error: its progress, and blank lines between them. */
const PROGRESS =
  /^(\[.*\] )?(Starting compilation|Starting incremental|File change detected|Projects in this build)|^\s*$/;

interface TypeCheckerOptions {
  readonly reaper: ProcessReaper;
  /** An error, as tsc shows it. */
  readonly onOutput: (text: string) => void;
  /** All sources were checked. */
  readonly onChecked: (errors: number) => void;
  readonly onEnd: () => void;
}

/** tsc, which checks the types after every change of a source. */
export class TypeChecker {
  private readonly tsc: ChildProcess;
  private stopping = false;

  constructor({ reaper, onOutput, onChecked, onEnd }: TypeCheckerOptions) {
    const args = [TSC, '--build', ...PROJECTS, '--watch', '--preserveWatchOutput'];
    this.tsc = spawn(process.execPath, process.stderr.isTTY ? [...args, '--pretty'] : args, {
      cwd: ROOT,
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const { pid, stdout } = this.tsc;
    if (pid !== undefined) reaper.add(pid);
    if (stdout)
      createInterface({ input: stdout }).on('line', (line) => {
        const errors = CHECKED.exec(line)?.[1];
        if (errors !== undefined) onChecked(Number(errors));
        else if (!PROGRESS.test(line)) onOutput(line);
      });
    this.tsc.once('close', () => {
      if (pid !== undefined) reaper.remove(pid);
      if (!this.stopping) onEnd();
    });
  }

  async stop(): Promise<void> {
    this.stopping = true;
    if (this.tsc.exitCode !== null || this.tsc.signalCode !== null) return;
    const closed = once(this.tsc, 'close');
    this.tsc.kill();
    await closed;
  }
}
