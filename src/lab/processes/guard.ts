import { type ChildProcess, spawn } from 'node:child_process';
import { REAPER_PROGRAM } from '../paths.js';
import { identify, type ProcessId } from './proc.js';

/** Tells the reaper which processes and files must not outlive this one. */
export class Guard {
  private readonly reaper: ChildProcess;
  private readonly children = new Map<number, ProcessId>();
  private readonly done: Promise<void>;

  constructor() {
    this.reaper = spawn(process.execPath, [REAPER_PROGRAM], {
      detached: true,
      stdio: ['pipe', 'ignore', 'ignore'],
    });
    this.done = new Promise((resolve) =>
      this.reaper.once('exit', () => {
        resolve();
      }),
    );
    this.reaper.stdin?.on('error', () => undefined);
    this.reaper.unref();
    (this.reaper.stdin as { unref?: () => void } | null)?.unref?.();
  }

  get reaperId(): ProcessId | undefined {
    return this.reaper.pid === undefined ? undefined : identify(this.reaper.pid);
  }

  get processes(): readonly ProcessId[] {
    return [...this.children.values()];
  }

  add(pid: number): void {
    const child = identify(pid);
    if (!child) return;
    this.children.set(pid, child);
    this.tell(`+ ${child.pid} ${child.startedAt}`);
  }

  remove(pid: number): void {
    const child = this.children.get(pid);
    if (!child) return;
    this.children.delete(pid);
    this.tell(`- ${child.pid} ${child.startedAt}`);
  }

  /** A file or folder to remove in the end. */
  addFile(path: string): void {
    this.tell(`file ${path}`);
  }

  /** Lets the reaper finish: nothing of the lab is left when this resolves. */
  async close(): Promise<void> {
    this.reaper.ref();
    this.reaper.stdin?.end();
    await this.done;
  }

  private tell(line: string): void {
    this.reaper.stdin?.write(`${line}\n`);
  }
}
