import { terminal } from '../../src/lab/terminal.js';
import { type FuzzKind } from './kinds/kind.js';
import { type FuzzOptions } from './options.js';
import { type Plan } from './plan/plan.js';
import { describeFailure } from './report.js';
import { type Failure, type Fuzzer } from './run/fuzz.js';
import { type ServerPlaces } from './run/proxied.js';
import { samePromise, shrink } from './run/shrink.js';

/** How often a smaller plan is tried before it counts as one that does not fail. */
const TRIES = 8;

/** All seeds of all kinds that the user asked for, with what is said about them. */
export class Campaign {
  constructor(
    private readonly fuzzer: Fuzzer,
    private readonly options: FuzzOptions,
    private readonly servers: ServerPlaces,
    private readonly stop: AbortSignal,
  ) {}

  /** Answers whether any promise was broken. */
  async run(): Promise<boolean> {
    let failed = false;
    for (const kind of this.options.kinds) {
      if (this.stop.aborted) break;
      if (!this.isHere(kind)) terminal.warn(`${kind.name}: not run, because its server is not installed`);
      else if (await this.runKind(kind)) failed = true;
    }
    return failed;
  }

  async replay(plan: Plan): Promise<boolean> {
    const { seeds } = this.options;
    const failures = await this.fuzzer.repeat(plan, seeds, Infinity, this.stop);
    terminal.print(`${failures.length} of ${seeds} runs of the plan broke a promise.`);
    if (failures[0]) terminal.print(describeFailure(failures[0]));
    return failures.length > 0;
  }

  private async runKind(kind: FuzzKind): Promise<boolean> {
    const { seeds: count, firstSeed, keepGoing } = this.options;
    const seeds = Array.from({ length: count }, (_, index) => ({ kind, seed: firstSeed + index }));
    const failures: Failure[] = [];
    const enough = new AbortController();
    const started = performance.now();
    let done = 0;
    const onSeed = (failure: Failure | undefined) => {
      done += 1;
      terminal.rewrite(`${kind.name}: ${done} of ${count} seeds, ${failures.length} failed`);
      if (!failure) return;
      failures.push(failure);
      if (keepGoing) this.sayFailure(failure);
      else enough.abort();
    };
    await this.fuzzer.seeds(seeds, onSeed, AbortSignal.any([this.stop, enough.signal]));
    terminal.rewrite('');
    const seconds = ((performance.now() - started) / 1000).toFixed(1);
    const verdict =
      failures.length === 0 ? terminal.green('no violation') : terminal.red(`${failures.length} failed`);
    terminal.say(`${kind.name}: ${done} seeds in ${seconds} s, ${verdict}`);
    if (failures[0] && !keepGoing) await this.explain(failures[0]);
    return failures.length > 0;
  }

  private sayFailure({ seed, violations }: Failure): void {
    terminal.rewrite('');
    for (const { invariant, sentence } of violations.slice(0, 3))
      terminal.print(`  seed ${String(seed)}  ${invariant}: ${sentence}`);
  }

  private async explain(failure: Failure): Promise<void> {
    terminal.print(terminal.bold(describeFailure(failure)));
    let smallest = failure;
    if (this.options.shrink && !this.stop.aborted) {
      terminal.say('looking for a smaller plan that still fails …');
      const stillFails = async (plan: Plan) => {
        const again = await this.fuzzer.repeat(plan, TRIES, 1, this.stop);
        const same = again.find(({ violations }) => samePromise(violations, failure.violations));
        if (same) smallest = same;
        return same !== undefined;
      };
      await shrink(failure.history.plan, stillFails, this.stop);
    }
    if (smallest !== failure)
      terminal.print(`\nThe smallest plan that still fails:\n${describeFailure(smallest)}`);
    terminal.print(
      `\nReplay it with:\n  npm run fuzz:locks -- --seeds 20 --plan '${JSON.stringify(smallest.history.plan)}'`,
    );
  }

  private isHere({ engine }: FuzzKind): boolean {
    if (engine === 'etcd') return this.servers.etcdUrl !== undefined;
    return engine !== 'zookeeper' || this.servers.zookeeperUrl !== undefined;
  }
}
