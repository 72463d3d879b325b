import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { ROOT } from '../../src/lab/paths.js';

/** The command as a person runs it. */
export class Command {
  said = '';
  readonly ended: Promise<number | null>;

  constructor(readonly child: ChildProcess) {
    for (const stream of [child.stdout, child.stderr])
      stream?.on('data', (text) => (this.said += String(text)));
    this.ended = once(child, 'close').then(([code]) => code as number | null);
  }

  static run(args: readonly string[], env: NodeJS.ProcessEnv = process.env): Command {
    return new Command(spawn(process.execPath, [join(ROOT, 'bin/lockstock.js'), ...args], { env }));
  }

  async says(text: string): Promise<void> {
    while (!this.said.includes(text)) {
      if (this.child.exitCode !== null) throw new Error(`ended before it said ${text}:\n${this.said}`);
      await sleep(20);
    }
  }
}
