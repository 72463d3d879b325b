import { type StrategyListing } from '../../contract/strategy.js';
import { Campaign } from '../chaos/campaign.js';
import { type ChaosOptions, readOptions } from '../chaos/options.js';
import { generate, type Menu } from '../chaos/plan/generate.js';
import { strategiesOf } from '../chaos/plan/plan.js';
import { describeFinding, saveFinding } from '../chaos/report.js';
import { type ChaosSystem } from '../chaos/run/system.js';
import { conclusion, recoveryTable, summary } from '../chaos/summary.js';
import { declaredStrategies } from '../../strategies/support/strategy-classes.js';
import { engineMissing } from '../engines/missing.js';
import { LabError } from '../errors.js';
import { interruption } from '../interruption.js';
import { Target } from '../load/target.js';
import { requireStrategies } from '../named-strategies.js';
import { requireWritableFolder } from '../output-files.js';
import { type PrivateSystem, withPrivateSystem } from '../private-system.js';
import { terminal } from '../terminal.js';
import { until } from '../until.js';

const INSTANCES = 3;
const INTERRUPTED = 130;

/** `lockstock chaos`: random histories of many clients, and every answer checked against the ledger. */
export async function chaos(args: string[]): Promise<number> {
  const options = readOptions(args);
  await requireStrategies(options.replay ? strategiesOf(options.replay) : options.strategies);
  const declared = (await declaredStrategies()).map(({ name }) => name);
  const disabled = options.replay ? (options.replay.disabled ?? []) : others(declared, options.strategies);
  const enabled = declared.filter((name) => !disabled.includes(name));
  requireWritableFolder('out', options.out);
  const stop = interruption();
  terminal.say(
    options.replay
      ? `repeating one plan up to ${options.tries} times …`
      : `seed ${options.seed}; each round adds one. \`--seed N --rounds 1\` with the same options repeats one round.`,
  );
  const campaign = await withPrivateSystem(
    { instances: INSTANCES, report: () => undefined, env: { STRATEGIES: enabled.join(',') } },
    stop,
    (system) => run(ofChaos(system), { ...options, disabled }, stop),
  );
  if (!campaign) return INTERRUPTED;
  for (const finding of campaign.findings) {
    if (!options.json) terminal.print(describeFinding(finding));
    const path = saveFinding(options.out, finding);
    terminal.say(`Written to ${path}. \`lockstock chaos --replay ${path}\` repeats it.`);
  }
  if (options.json) terminal.print(JSON.stringify(summary(campaign), null, 2));
  else terminal.print([...recoveryTable(campaign), conclusion(campaign)].join('\n'));
  if (campaign.findings.length > 0) return 1;
  if (stop.aborted) return INTERRUPTED;
  if (campaign.checked.acknowledged === 0)
    throw new LabError('No purchase was acknowledged, so nothing was checked.');
  return 0;
}

function ofChaos({ shop, servers, database }: PrivateSystem): ChaosSystem {
  const { addresses, mariadb, redis } = servers;
  return { shop, servers: addresses, database, mariadb, redis };
}

/** With `--strategies`, the instances offer only those: the others must answer 404. */
function others(declared: readonly string[], chosen: readonly string[]): string[] {
  return chosen.length === 0 ? [] : declared.filter((name) => !chosen.includes(name));
}

async function run(
  system: ChaosSystem,
  options: ChaosOptions & Pick<Menu, 'disabled'>,
  stop: AbortSignal,
): Promise<Campaign> {
  const target = await until('the strategies are available', () => availableTarget(system));
  const { shrinkSeconds, replay, seed, keepGoing, tries, strict } = options;
  const { disabled = [] } = options;
  const listed = [...target.strategies.values()].filter(({ name }) => !disabled.includes(name));
  const all = strict ? listed.map((strategy) => ({ ...strategy, safe: 'always' as const })) : listed;
  const campaign = new Campaign(system, { strategies: all, shrinkSeconds: replay ? 0 : shrinkSeconds, stop });
  const menu = { ...options, strategies: chosen(target, options.strategies) };
  const endAt = performance.now() + 1000 * options.seconds;
  const rounds = replay ? tries : options.rounds;
  for (let round = 0; round < rounds && !stop.aborted; round += 1) {
    if (!replay && performance.now() >= endAt) break;
    const clean = await campaign.play(replay ?? generate(seed + round, menu));
    if (!clean && !keepGoing) break;
  }
  return campaign;
}

/**
 * Waits for etcd and ZooKeeper, to which an instance connects after its start: the plan of a seed must not depend on which
 * strategies are available a moment earlier or later.
 */
async function availableTarget({ shop }: ChaosSystem): Promise<Target | false> {
  const target = await Target.open(shop.url, shop.adminToken);
  const installed = [...target.strategies.values()].filter(({ needs }) => engineMissing(needs) === undefined);
  return installed.every(({ available }) => available) && target;
}

/** The named strategies, or all that promise to be safe while leases hold. */
function chosen(target: Target, names: readonly string[]): StrategyListing[] {
  if (names.length > 0) return names.map((name) => target.strategy(name));
  return [...target.strategies.values()].filter(
    ({ safe, available }) => available && (safe === 'always' || safe === 'while-the-lease-holds'),
  );
}
