import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Evidence } from '../../contract/evidence.js';
import { type LoadResult } from '../../contract/lab-runs.js';
import { type StrategyMetadata } from '../../contract/strategy.js';
import { EvidenceStore } from '../evidence/evidence-store.js';
import { ExperimentRunner } from '../experiments/experiment-runner.js';
import { type Exploration, Explorer } from '../explorer/explorer.js';
import { type Faults } from '../explorer/injected-faults.js';
import { whenAborted } from '../interruption.js';
import { runLoad } from '../load/run.js';
import { Target } from '../load/target.js';
import { withPrivateSystem } from '../private-system.js';
import { firstSale } from './first-sale.js';
import { TrialParts, type Untested } from './trial-parts.js';

/** One part of the trial, as it begins. */
export type TrialProgress = (what: string) => void;

export interface TrialOptions {
  readonly strategy: StrategyMetadata;
  readonly compiled: string;
  /** The load and the explorer without faults only, and less of both. */
  readonly quick: boolean;
  readonly stop: AbortSignal;
  readonly onProgress: TrialProgress;
}

export interface Trial {
  readonly strategy: StrategyMetadata;
  /** Many buyers, little stock, three instances. */
  readonly load: LoadResult;
  /** The same load with ample stock: this strategy, then built-in ones. */
  readonly speeds: readonly LoadResult[];
  readonly explorations: readonly Exploration[];
  readonly experiments: readonly Evidence[];
  /** What could not be tested. */
  readonly untested: readonly Untested[];
  /** What was not done because of Ctrl-C. */
  readonly interrupted: boolean;
  readonly quick: boolean;
}

const INSTANCES = 3;
const CROWD = { stock: 60, buyers: 100, requests: 300, quantity: 1, retry: true, seconds: 30 };
const AMPLE = { stock: 1_000_000, buyers: 32, requests: 1_000_000, quantity: 1, retry: true };
/** For the speed: the shortest safe strategy, a row lock, a lock in Redis, and no protection. */
const BESIDE = ['sql-atomic', 'for-update', 'reentrant', 'no-lock'];
const SECONDS = { normal: 3, quick: 1 };
const EXPLORE_MS = { normal: 90_000, quick: 30_000 };

/** Tests a strategy that is not part of this project, on private servers. */
export async function trial(options: TrialOptions): Promise<Trial | undefined> {
  const env = { OWN_STRATEGY: options.compiled };
  const measured = await underLoad(options, env);
  if (!measured) return undefined;
  const { strategy, quick, stop } = options;
  const parts = new TrialParts(stop);
  const explorations: Exploration[] = [];
  await parts.attempt('the explorer', () => explored(options, env, explorations));
  const experiments: Evidence[] = [];
  if (!quick) await parts.attempt('the faults', () => underFaults(options, env, parts, experiments));
  const { untested } = parts;
  return { strategy, ...measured, explorations, experiments, untested, interrupted: stop.aborted, quick };
}

type Env = Readonly<Record<string, string>>;

async function underLoad(
  { strategy: { name }, quick, stop, onProgress }: TrialOptions,
  env: Env,
): Promise<Pick<Trial, 'load' | 'speeds'> | undefined> {
  onProgress(`starting servers and ${INSTANCES} instances`);
  const system = {
    instances: INSTANCES,
    report: () => undefined,
    env: { ...env, NODE_OPTIONS: '--enable-source-maps' },
  };
  return withPrivateSystem(system, stop, async ({ shop, folder }) => {
    onProgress('one sale');
    await firstSale(shop, name, folder);
    const target = await Target.open(shop.url, shop.adminToken);
    onProgress(`${CROWD.buyers} buyers want ${CROWD.requests} of ${CROWD.stock} units`);
    const load = await runLoad(target, name, CROWD, { stop });
    const seconds = quick ? SECONDS.quick : SECONDS.normal;
    const speeds: LoadResult[] = [];
    for (const one of [name, ...BESIDE]) {
      if (stop.aborted) break;
      onProgress(`the speed of ${one}, ${seconds} s`);
      speeds.push(await runLoad(target, one, { ...AMPLE, seconds }, { stop }));
    }
    return { load, speeds };
  });
}

/** With a fault, or with five servers that are asked at once, there are too many schedules to run them all. */
function boundOf({ needs }: StrategyMetadata, faults: Faults): { readonly preemptions?: number } {
  if (faults !== 'none') return { preemptions: 1 };
  return needs.includes('redlock') ? { preemptions: 2 } : {};
}

/** Without a fault, and, unless it should be quick, with any one fault at any point. */
async function explored(options: TrialOptions, env: Env, found: Exploration[]): Promise<void> {
  const { strategy, quick, stop, onProgress } = options;
  const interrupted = () => stop.aborted;
  if (interrupted()) return;
  onProgress('starting servers and instances for the explorer');
  const explorer = await Explorer.open(2, quick ? 0 : 2, env);
  try {
    const kinds: readonly Faults[] = quick ? ['none'] : ['none', 'any'];
    for (const faults of kinds) {
      if (interrupted()) break;
      const enough = AbortSignal.timeout(quick ? EXPLORE_MS.quick : EXPLORE_MS.normal);
      const plan = {
        ...{ strategy: explorer.named(strategy.name), buyers: 2, instances: 2, stock: 1 },
        ...{ faults, allCommands: false },
      };
      const kind = faults === 'none' ? 'without a fault' : 'with one fault at any point';
      const one = await explorer.explore(plan, {
        stop: AbortSignal.any([stop, enough]),
        first: faults !== 'none',
        ...boundOf(strategy, faults),
        onProgress: ({ runs }) => {
          onProgress(`every interleaving ${kind}: ${runs} schedules run`);
        },
      });
      found.push(one);
      // Without a fault it breaks already: a fault would add nothing.
      if (one.counterexample) break;
    }
  } finally {
    await explorer.close();
  }
}

async function underFaults(
  { strategy, stop, onProgress }: TrialOptions,
  env: Env,
  parts: TrialParts,
  found: Evidence[],
): Promise<void> {
  const interrupted = () => stop.aborted;
  if (interrupted()) return;
  onProgress('starting servers and instances for the faults');
  const folder = mkdtempSync(join(tmpdir(), 'lockstock-evidence-'));
  const runner = await ExperimentRunner.open(new EvidenceStore(folder), env);
  const stopped = whenAborted(stop);
  try {
    const all = runner.experiments.filter(
      (one) => one.strategy === strategy.name && one.missing?.() === undefined,
    );
    await Promise.race([runner.prepare(all), stopped]);
    for (const [index, experiment] of all.entries()) {
      if (interrupted()) break;
      onProgress(`faults: ${experiment.fault}, ${index + 1} of ${all.length}`);
      await parts.attempt(`the fault ${experiment.fault}`, async () => {
        const run = runner.perform(experiment);
        // Not awaited after Ctrl-C.
        run.catch(() => undefined);
        const evidence = await Promise.race([run, stopped]);
        if (evidence) found.push(evidence);
      });
    }
  } finally {
    await runner.close();
    rmSync(folder, { recursive: true, force: true });
  }
}
