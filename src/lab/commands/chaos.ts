import { randomInt } from 'node:crypto';
import { mischief, type Victim } from '../chaos/mischief.js';
import { seeded } from '../chaos/seeded.js';
import { LabError } from '../errors.js';
import { type LoadResult, runLoad } from '../load/run.js';
import { Target } from '../load/target.js';
import { type PrivateSystem, withPrivateSystem } from '../private-system.js';
import { terminal } from '../terminal.js';
import { until } from '../until.js';
import { readArguments, wholeNumber } from './arguments.js';
import { interruption } from './interruption.js';

const STOCK = 1_000_000;
const BUYERS = 3;
/** The load goes on for a while after the last fault: everything must be served again. */
const QUIET_END_S = 10;
const MAX_SEED = 2 ** 31;

/** `lockstock chaos`: load on every strategy that is always safe, while servers and instances are paused and killed. */
export async function chaos(args: string[]): Promise<number> {
  const { values } = readArguments('chaos', args, {
    minutes: { type: 'string' },
    seconds: { type: 'string' },
    seed: { type: 'string' },
  });
  const seconds =
    values.seconds === undefined
      ? 60 * wholeNumber('minutes', values.minutes ?? '5', 1, 120)
      : wholeNumber('seconds', values.seconds, 15, 7200);
  const seed = wholeNumber('seed', values.seed ?? String(randomInt(MAX_SEED)), 0, MAX_SEED);
  const stop = interruption();
  terminal.say(`seed ${seed}; \`lockstock chaos --seed ${seed}\` makes the same choices again.`);
  const results = await withPrivateSystem({ instances: 3, report: () => undefined }, stop, (system) =>
    run(system, seconds, seed, stop),
  );
  if (!results) return 130;
  return conclude(results);
}

async function run(
  system: PrivateSystem,
  seconds: number,
  seed: number,
  stop: AbortSignal,
): Promise<LoadResult[]> {
  const { shop } = system;
  const target = await Target.open(shop.url, shop.adminToken);
  const safe = [...target.strategies.values()].filter(
    ({ safe, available }) => safe === 'always' && available,
  );
  terminal.say(`${safe.length} strategies, each with goods of its own, for ${seconds} s …`);
  // Not AbortSignal.timeout: what only AbortSignal.any refers to may be collected before it fires.
  const over = new AbortController();
  const timer = setTimeout(
    () => {
      over.abort();
    },
    (seconds - QUIET_END_S) * 1000,
  );
  const loads = safe.map(({ name }, index) =>
    runLoad(
      target.selling(index + 1),
      name,
      { stock: STOCK, buyers: BUYERS, requests: STOCK, quantity: 1, seconds, retry: true },
      { stop },
    ),
  );
  const end = AbortSignal.any([stop, over.signal]);
  const faults = mischief(victims(system), seeded(seed), end, ({ atMs, what }) => {
    terminal.say(`  ${(atMs / 1000).toFixed(1).padStart(6)} s  ${what}`);
  });
  const [results] = await Promise.all([Promise.all(loads), faults]);
  clearTimeout(timer);
  await allServe(system);
  return results;
}

function victims({ servers, shop }: PrivateSystem): Victim[] {
  return [
    { name: 'MariaDB', process: servers.mariadb },
    { name: 'Redis', process: servers.redis },
    ...shop.instances.map((process) => ({ name: process.engine.name, process })),
  ];
}

/** Nothing may be left broken by what was done to it. */
async function allServe({ shop }: PrivateSystem): Promise<void> {
  for (const url of shop.instanceUrls) {
    await until(`${url} serves`, async () => (await fetch(`${url}/health/ready`)).ok, 30_000);
  }
}

function conclude(results: readonly LoadResult[]): number {
  const sold = results.reduce((sum, { outcomes }) => sum + outcomes.sold, 0);
  if (sold === 0) throw new LabError('Nobody bought anything: such a run says nothing.');
  for (const { strategy, verdict, kept, outcomes, explanation } of results) {
    const mark = kept ? terminal.green('✔') : terminal.red('✘');
    const counts = `${outcomes.sold} sold, ${outcomes.refused} refused, ${outcomes.unknown} unknown`;
    terminal.print(`${mark} ${strategy.padEnd(18)} ${verdict.padEnd(10)} ${counts}`);
    if (!kept) terminal.print(`    ${explanation}`);
  }
  const broken = results.filter(({ kept }) => !kept);
  terminal.say(
    broken.length === 0
      ? 'every strategy is SAFE, every acknowledged order is in the ledger, and all servers are back.'
      : `${broken.length} of ${results.length} strategies broke their promise.`,
  );
  return broken.length === 0 ? 0 : 1;
}
