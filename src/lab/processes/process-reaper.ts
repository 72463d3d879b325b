import { type ChildProcess, spawn } from 'node:child_process';
import { REAPER_PROGRAM } from '../paths.js';
import { identify, type ProcessId, signalGroup } from './proc.js';

/** Tells the reaper which processes and files must not outlive this one. */
export class ProcessReaper {
  private readonly program: ChildProcess;
  private readonly children = new Map<number, ProcessId>();
  private readonly done: Promise<void>;
  private closed = false;

  constructor() {
    this.program = spawn(process.execPath, [REAPER_PROGRAM], {
      detached: true,
      stdio: ['pipe', 'ignore', 'ignore'],
    });
    this.done = new Promise((resolve) =>
      this.program.once('exit', () => {
        resolve();
      }),
    );
    this.program.stdin?.on('error', () => undefined);
    this.program.unref();
    (this.program.stdin as { unref?: () => void } | null)?.unref?.();
  }

  get id(): ProcessId | undefined {
    return this.program.pid === undefined ? undefined : identify(this.program.pid);
  }

  get processes(): readonly ProcessId[] {
    return [...this.children.values()];
  }

  add(pid: number): void {
    const child = identify(pid);
    if (!child) return;
    // A start that was under way when the lab stopped: the reaper has ended, so this process is ended here.
    if (this.closed) {
      signalGroup(pid, 'SIGKILL');
      return;
    }
    this.children.set(pid, child);
    this.tell(`+ ${child.pid} ${child.startedAt}`);
  }

  remove(pid: number): void {
    const child = this.children.get(pid);
    if (!child) return;
    this.children.delete(pid);
    this.tell(`- ${child.pid} ${child.startedAt}`);
  }

  /** A file or folder to remove at the end. */
  addFile(path: string): void {
    this.tell(`file ${path}`);
  }

  /** Lets the reaper finish: nothing of the lab is left when this resolves. */
  async close(): Promise<void> {
    this.closed = true;
    this.program.ref();
    this.program.stdin?.end();
    await this.done;
  }

  private tell(line: string): void {
    this.program.stdin?.write(`${line}\n`);
  }
}
