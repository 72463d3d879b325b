import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { type FSWatcher, watch } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../paths.js';
import { type ProcessReaper } from '../processes/process-reaper.js';
import { type Shop } from '../shop.js';
import { terminal } from '../terminal.js';
import { type BuildChanges, builtSources, changesBetween } from './build-changes.js';
import { TypeChecker } from './type-checker.js';

/** Besides these, tsc watches the TypeScript files. */
const ASSET = /\.(lua|html|css|svg)$/;
const FOLDERS = ['src', 'web'];
/** An editor that saves a file causes several events. */
const SETTLE_MS = 50;

/**
 * Builds every change of the sources and puts it to use. As long as the sources contain an error, the instances keep the
 * last build that had none.
 */
export class SourceFollower {
  private readonly watchers: readonly FSWatcher[];
  private readonly checker: TypeChecker;
  private sources = builtSources();
  private errors: number | undefined;
  private settle: NodeJS.Timeout | undefined;
  private working: Promise<void> = Promise.resolve();
  private stopping = false;

  constructor(
    private readonly shop: Shop,
    reaper: ProcessReaper,
  ) {
    this.checker = new TypeChecker({
      reaper,
      onOutput: (text) => {
        terminal.print(text);
      },
      onChecked: (errors) => {
        this.onChecked(errors);
      },
      onEnd: () => {
        terminal.warn('The type checker has ended, so changes are no longer built. Start again.');
      },
    });
    this.watchers = FOLDERS.map((folder) =>
      watch(join(ROOT, folder), { recursive: true }, (_event, file) => {
        if (file !== null && ASSET.test(file) && this.errors === 0) this.follow();
      }),
    );
  }

  async stop(): Promise<void> {
    this.stopping = true;
    clearTimeout(this.settle);
    for (const watcher of this.watchers) watcher.close();
    await this.checker.stop();
    await this.working;
  }

  private onChecked(errors: number): void {
    if (this.errors === undefined) terminal.say('watching src/, web/ and migrations/ for changes.');
    this.errors = errors;
    if (errors === 0) this.follow();
    else {
      const count = errors === 1 ? 'There is 1 error' : `There are ${errors} errors`;
      terminal.warn(`${count} in the sources. The instances keep the last build without errors.`);
    }
  }

  /** One build at a time: a change during a build is built after it. */
  private follow(): void {
    clearTimeout(this.settle);
    this.settle = setTimeout(() => {
      this.working = this.working.then(() => this.rebuild());
    }, SETTLE_MS);
  }

  private async rebuild(): Promise<void> {
    if (this.stopping) return;
    const started = performance.now();
    try {
      if (!(await build())) return;
      const before = this.sources;
      this.sources = builtSources();
      const changes = changesBetween(before, this.sources);
      if (changes.paths.length === 0) return;
      terminal.say(
        `built ${named(changes.paths)} in ${((performance.now() - started) / 1000).toFixed(1)} s.`,
      );
      await this.use(changes);
    } catch (error) {
      terminal.warn((error as Error).message);
    }
  }

  private async use({ service, schema, lab }: BuildChanges): Promise<void> {
    if (schema && !this.stopping) await this.shop.migrate();
    if (service && !this.stopping) {
      await terminal.step(`restarting ${this.shop.instances.length} instances one by one`, () =>
        this.shop.restartInstances(),
      );
    }
    if (lab)
      terminal.say('The lab itself changed. To use its new code, stop it with Ctrl-C and start again.');
  }
}

/** Compiles what changed into dist/; the compiler's messages appear on the terminal. */
async function build(): Promise<boolean> {
  const builder = spawn(process.execPath, [join(ROOT, 'bin/build.js')], {
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  const [code] = (await once(builder, 'exit')) as [number | null];
  return code === 0;
}

function named([first = '', ...others]: readonly string[]): string {
  return others.length === 0 ? first : `${first} and ${others.length} more`;
}
