import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { type FSWatcher, statSync, watch } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../paths.js';
import { type ProcessReaper } from '../processes/process-reaper.js';
import { type Shop } from '../shop.js';
import { terminal } from '../terminal.js';
import { type BuildChanges, builtSources, changesBetween } from './build-changes.js';
import { TypeChecker } from './type-checker.js';

const FOLDERS = ['src', 'web', 'migrations'];
/** An editor that saves a file causes several events. */
const SETTLE_MS = 50;

/**
 * Builds every change of the sources and puts it to use. As long as the sources contain an error, the instances keep the
 * last build that had none.
 */
export class SourceFollower {
  private readonly watchers: readonly FSWatcher[];
  private readonly serviceTypes: TypeChecker;
  private readonly pageTypes: TypeChecker;
  private sources = builtSources();
  private ready = false;
  private settle: NodeJS.Timeout | undefined;
  private working: Promise<void> = Promise.resolve();
  private stopping = false;

  constructor(
    private readonly shop: Shop,
    reaper: ProcessReaper,
  ) {
    const checker = (project: string) =>
      new TypeChecker({
        project,
        reaper,
        onOutput: (line) => {
          terminal.print(line);
        },
        onChecked: () => {
          this.onChecked();
        },
        onEnd: () => {
          terminal.warn('The type checker has ended, so changes are no longer built. Start again.');
        },
      });
    this.serviceTypes = checker('tsconfig.json');
    this.pageTypes = checker('web');
    this.watchers = FOLDERS.map((folder) =>
      watch(join(ROOT, folder), { recursive: true }, (_event, file) => {
        if (file !== null) this.onEdit(folder, file);
      }),
    );
  }

  async stop(): Promise<void> {
    this.stopping = true;
    clearTimeout(this.settle);
    for (const watcher of this.watchers) watcher.close();
    await Promise.all([this.serviceTypes.stop(), this.pageTypes.stop()]);
    await this.working;
  }

  /** TypeScript files are built after their check, all other files at once. */
  private onEdit(folder: string, file: string): void {
    if (!file.endsWith('.ts')) {
      this.follow();
      return;
    }
    const at = statSync(join(ROOT, folder, file), { throwIfNoEntry: false })?.mtimeMs ?? 0;
    (folder === 'web' ? this.pageTypes : this.serviceTypes).edited(at);
  }

  private onChecked(): void {
    const { errors: service } = this.serviceTypes;
    const { errors: page } = this.pageTypes;
    if (service === undefined || page === undefined) return;
    if (!this.ready) terminal.say('watching src/, web/ and migrations/ for changes.');
    this.ready = true;
    const errors = service + page;
    if (errors === 0) this.follow();
    else {
      const count = errors === 1 ? 'There is 1 error' : `There are ${errors} errors`;
      terminal.warn(`${count} in the sources. The instances keep the last build without errors.`);
    }
  }

  private areChecked(): boolean {
    return this.serviceTypes.current && this.pageTypes.current;
  }

  /** One build at a time: a change during a build is built after it. */
  private follow(): void {
    clearTimeout(this.settle);
    this.settle = setTimeout(() => {
      this.working = this.working.then(() => this.rebuild());
    }, SETTLE_MS);
  }

  private async rebuild(): Promise<void> {
    if (this.stopping || !this.areChecked()) return;
    const started = performance.now();
    try {
      if (!(await build())) return;
      // The build may contain an edit made while it ran: apply it only after its check.
      if (!this.areChecked()) return;
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
