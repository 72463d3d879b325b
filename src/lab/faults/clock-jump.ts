import { existsSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type ExperimentRun } from '../test-bed/experiment-run.js';
import { type Node } from '../topologies/node.js';

const LIBRARY_FOLDERS = '/usr/lib';
/** Longer than any lease of an experiment. */
const JUMP_S = 3600;

/** The path of libfaketime; undefined when it is not installed. */
export function clockLibrary(): string | undefined {
  const folders = existsSync(LIBRARY_FOLDERS) ? readdirSync(LIBRARY_FOLDERS) : [];
  return folders
    .map((folder) => join(LIBRARY_FOLDERS, folder, 'faketime/libfaketime.so.1'))
    .find((path) => existsSync(path));
}

export function clockMissing(): string | undefined {
  return clockLibrary() ? undefined : 'It needs libfaketime: apt-get install faketime.';
}

/** The clock of one process, which the lab can move while the process runs. */
export class LooseClock {
  constructor(private readonly file: string) {
    this.rewind();
  }

  /** Before the process starts. */
  rewind(): void {
    this.set(0);
  }

  /** The environment that the process needs. */
  get env(): NodeJS.ProcessEnv {
    return {
      // libc after it: otherwise the allocator of Redis never finishes its start.
      LD_PRELOAD: `${clockLibrary() ?? ''} libc.so.6`,
      FAKETIME_TIMESTAMP_FILE: this.file,
      FAKETIME_NO_CACHE: '1',
      FAKETIME_DONT_FAKE_MONOTONIC: '1',
    };
  }

  async jump(run: ExperimentRun, node: Node): Promise<void> {
    const before = await secondsOf(node);
    this.set(JUMP_S);
    const moved = (await secondsOf(node)) - before;
    run.proveFault('clock-jump', `the clock of ${node.name} jumped`, `${moved} s`, moved >= JUMP_S - 1);
  }

  private set(seconds: number): void {
    writeFileSync(this.file, `+${seconds}\n`);
  }
}

async function secondsOf(node: Node): Promise<number> {
  const [seconds] = await node.ask((client) => client.time());
  return Number(seconds);
}
