import { randomInt } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Deed, mischief } from '../chaos/mischief.js';
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
/** The load goes on for so long after the last fault: everything must be served again. */
const QUIET_END_S = 10;
const SELLING_WITHIN_MS = 60_000;
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
  terminal.say(
    `seed ${seed}; \`lockstock chaos --seconds ${seconds} --seed ${seed}\` makes the same choices again.`,
  );
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
  const enough = new AbortController();
  const soldSoFar = new Map<string, number>();
  const loads = safe.map(({ name }, index) =>
    runLoad(
      target.selling(index + 1),
      name,
      { stock: STOCK, buyers: BUYERS, requests: STOCK, quantity: 1, retry: true },
      { stop: AbortSignal.any([stop, enough.signal]), onSample: ({ sold }) => soldSoFar.set(name, sold) },
    ),
  );
  const victims = [system.servers.mariadb, system.servers.redis, ...shop.instances];
  const forMs = (seconds - QUIET_END_S) * 1000;
  const deeds: Deed[] = [];
  const faultsAndPeace = async () => {
    try {
      // A run that never began would say nothing about the faults.
      const allSell = () => safe.every(({ name }) => (soldSoFar.get(name) ?? 0) > 0);
      await until(
        'every strategy sells',
        () => Promise.resolve(stop.aborted || allSell()),
        SELLING_WITHIN_MS,
      );
      await mischief(victims, seeded(seed), { forMs, stop }, (deed) => {
        deeds.push(deed);
        terminal.say(`  ${(deed.atMs / 1000).toFixed(1).padStart(6)} s  ${deed.what}`);
      });
      const sold = new Map(soldSoFar);
      await sleep(QUIET_END_S * 1000, undefined, { signal: stop }).catch(() => undefined);
      return sold;
    } finally {
      enough.abort();
    }
  };
  const [results, sold] = await Promise.all([Promise.all(loads), faultsAndPeace()]);
  await allServe(system);
  if (stop.aborted) {
    terminal.say(`stopped early; faults until then: ${deeds.length}.`);
    return results;
  }
  if (new Set(deeds.map(({ kind }) => kind)).size < 2) {
    throw new LabError('There was no time for a pause and a kill: give it more, or another seed.');
  }
  const silent = results.filter(({ strategy, outcomes }) => outcomes.sold <= (sold.get(strategy) ?? 0));
  if (silent.length > 0) {
    throw new LabError(`Nobody could buy any more after the faults: ${names(silent)}.`);
  }
  return results;
}

/** Nothing may be left broken by what was done to it. */
async function allServe({ shop }: PrivateSystem): Promise<void> {
  for (const url of shop.instanceUrls) {
    await until(`${url} serves`, async () => (await fetch(`${url}/health/ready`)).ok, 30_000);
  }
}

function conclude(results: readonly LoadResult[]): number {
  const idle = results.filter(({ outcomes }) => outcomes.sold === 0);
  if (idle.length > 0)
    throw new LabError(`Nobody bought anything by ${names(idle)}: such a run says nothing.`);
  const underWay = results.filter(({ audit }) => audit.inFlight !== 0);
  if (underWay.length > 0) throw new LabError(`Orders never arrived in the ledger: ${names(underWay)}.`);
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

function names(results: readonly LoadResult[]): string {
  return results.map(({ strategy }) => strategy).join(', ');
}
