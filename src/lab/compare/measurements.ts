import { type LoadResult } from '../../contract/lab-runs.js';
import { crowd, type Load, runLoad } from '../load/run.js';
import { OutcomeTally } from '../load/tally.js';
import { type Target } from '../load/target.js';
import { type ComparedStrategy, type Speed } from './comparison.js';
import { type PlannedStep } from './plan.js';
import { Rounds } from './rounds.js';

export interface ComparedLoads {
  readonly verdict: Load;
  readonly speed: Load;
}

/** The measurements so far, for every strategy and number of instances. */
export class Measurements {
  private readonly verdicts = new Map<string, LoadResult>();
  private readonly speeds = new Map<string, Rounds>();
  private readonly noops = new Map<number, Rounds>();

  constructor(
    private readonly target: Target,
    private readonly loads: ComparedLoads,
    private readonly stop: AbortSignal,
  ) {}

  async take(step: PlannedStep): Promise<void> {
    const { stop, target } = this;
    const { instances } = step;
    if (step.kind === 'noop') {
      const load = { ...this.loads.speed, instances };
      const tally = new OutcomeTally('noop', 0, load.buyers);
      await crowd(target, '/noop', load, tally, stop);
      if (!stop.aborted) entry(this.noops, instances, () => new Rounds(instances)).add(tally);
      return;
    }
    const load = { ...this.loads[step.kind], instances };
    const tallies: OutcomeTally[] = [];
    const result = await runLoad(target, step.strategy, load, {
      stop,
      onTally: (tally) => tallies.push(tally),
    });
    // A run that was stopped early is not comparable.
    if (result.stopped) return;
    if (step.kind === 'verdict') {
      this.verdicts.set(keyOf(step), result);
      return;
    }
    const rounds = entry(this.speeds, keyOf(step), () => new Rounds(instances));
    for (const tally of tallies) rounds.add(tally);
    rounds.results.push(result);
  }

  get noop(): Speed[] {
    return [...this.noops.values()].map(({ speed }) => speed);
  }

  /** Every strategy that has a verdict and a speed, in the order of the list. */
  get results(): ComparedStrategy[] {
    return [...this.verdicts.entries()].flatMap(([key, verdict]) => {
      const rounds = this.speeds.get(key);
      return rounds ? [this.compared(verdict, rounds)] : [];
    });
  }

  private compared(verdict: LoadResult, rounds: Rounds): ComparedStrategy {
    const { strategy, promise, audit } = verdict;
    const { title = '', family = '' } = this.target.strategies.get(strategy) ?? {};
    const { speed } = rounds;
    // Every round is audited: a strategy must also be safe at full speed.
    const judged = [verdict, ...rounds.results];
    const worst = judged.find(({ kept }) => !kept) ?? judged.find((run) => run.verdict !== 'SAFE') ?? verdict;
    const toSqlAtomic = share(speed, this.speeds.get(keyOf({ strategy: 'sql-atomic', ...speed }))?.speed);
    const toNoop = share(speed, this.noops.get(speed.instances)?.speed);
    return {
      strategy,
      title,
      family,
      promise,
      verdict: worst.verdict,
      kept: worst.kept,
      explanation: worst.explanation,
      sold: audit.sold,
      oversoldBy: audit.oversoldBy,
      ...speed,
      ...(toSqlAtomic !== undefined && { toSqlAtomic }),
      ...(toNoop !== undefined && { toNoop }),
      attempts: rounds.attempts,
      comebacks: rounds.comebacks,
      refused: rounds.total('refused'),
      unknown: rounds.total('unknown'),
      waits: rounds.waits,
      fairness: rounds.fairness,
      drainMs: Math.max(...rounds.results.map(({ drainMs }) => drainMs)),
    };
  }
}

function keyOf({ strategy, instances }: { readonly strategy: string; readonly instances: number }): string {
  return `${strategy} ${instances}`;
}

function entry<K, V>(map: Map<K, V>, key: K, make: () => V): V {
  const found = map.get(key) ?? make();
  map.set(key, found);
  return found;
}

/** Throughput relative to another one, if there is one. */
function share({ throughput }: Speed, base: Speed | undefined): number | undefined {
  return base && base.throughput > 0 ? Number((throughput / base.throughput).toFixed(3)) : undefined;
}
