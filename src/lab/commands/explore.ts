import { writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { drawSequence } from '../../diagram/svg.js';
import { readArguments, wholeNumber } from '../arguments.js';
import { UsageError } from '../errors.js';
import { diagramOf } from '../explorer/diagram.js';
import { allInstalled, explorable, explorableStrategies } from '../explorer/explorable.js';
import { type Exploration, Explorer } from '../explorer/explorer.js';
import { drive } from '../explorer/console.js';
import { commandOf } from '../explorer/plan-command.js';
import { FAULTS, type Faults } from '../explorer/injected-faults.js';
import { writeExploration } from '../explorer/explorations.js';
import { recordOf } from '../explorer/record.js';
import { SHIPPED_EXPLORATIONS } from '../paths.js';
import { type ExplorationPlan } from '../explorer/real-system.js';
import { type Played } from '../explorer/replay.js';
import { report } from '../explorer/report.js';
import { requirePlayable } from '../explorer/schedule.js';
import { tell } from '../explorer/story.js';
import { recordResults } from '../explorer/results.js';
import { table } from '../explorer/table.js';
import { interruption } from '../interruption.js';
import { requireInstalled } from '../named-strategies.js';
import { requireWritableFile } from '../output-files.js';
import { terminal } from '../terminal.js';

/** Redlock sends five commands at once: without a bound, running all its schedules takes hours, and with two preemptions minutes. */
const REDLOCK_PREEMPTIONS = '1';
const INTERRUPTED = 130;
/** While an instance that was killed restarts, these take its place. */
const SPARES = 2;

/** `lockstock explore`: runs a strategy under every interleaving of its buyers' commands. */
export async function explore(args: string[]): Promise<number> {
  const { values, positionals } = readArguments(
    'explore',
    args,
    {
      buyers: { type: 'string', default: '2' },
      instances: { type: 'string' },
      stock: { type: 'string' },
      faults: { type: 'string', default: 'none' },
      preemptions: { type: 'string' },
      max: { type: 'string' },
      all: { type: 'boolean', default: false },
      first: { type: 'boolean', default: false },
      schedule: { type: 'string' },
      keys: { type: 'boolean', default: false },
      'all-commands': { type: 'boolean', default: false },
      'no-reduction': { type: 'boolean', default: false },
      json: { type: 'string' },
      diagram: { type: 'string' },
      record: { type: 'boolean', default: false },
      interactive: { type: 'boolean', default: false },
    },
    true,
  );
  if (positionals.length === 0 && !values.all)
    throw new UsageError(
      'No strategy was named. Name one, for example `lockstock explore no-lock`, or use --all; `lockstock explore --help` has all options.',
    );
  if (positionals.length > 0 && values.all)
    throw new UsageError('--all explores every strategy. Name strategies, or use --all.');
  const buyers = wholeNumber('buyers', values.buyers, 2, 3);
  const instances = wholeNumber('instances', values.instances ?? values.buyers, 1, buyers);
  const faults = faultsOf(values.faults);
  // After a lost answer, a second purchase must be possible.
  const least = faults === 'lost-reply' || faults === 'any' ? '2' : '1';
  const stock = wholeNumber('stock', values.stock ?? least, 1, 100);
  const most = values.max === undefined ? undefined : wholeNumber('max', values.max, 1, 10_000_000);
  if (values.preemptions !== undefined) wholeNumber('preemptions', values.preemptions, 0, 20);
  if (values.schedule !== undefined) {
    if (positionals.length !== 1) throw new UsageError('--schedule replays one strategy; name only one.');
    requirePlayable(values.schedule, buyers, faults);
  }
  if (values.interactive) refuseWithInteractive(values, positionals);
  const strategies = await explorableStrategies();
  for (const name of positionals) requireInstalled(explorable(strategies, name));
  const names = values.all ? await allInstalled() : positionals;
  requireWritableFile('json', values.json);
  requireWritableFile('diagram', values.diagram);

  const stop = interruption();
  const isInterrupted = () => stop.aborted;
  const explorer = await terminal.step('starting servers and instances for the explorer', () =>
    Explorer.open(instances, faults === 'crash' || faults === 'any' ? SPARES : 0),
  );
  try {
    const plans = names.map((name): ExplorationPlan => {
      const strategy = explorer.named(name);
      return {
        strategy,
        buyers,
        instances,
        stock,
        faults,
        allCommands: values['all-commands'],
        keys: values.keys,
      };
    });
    if (values.interactive) {
      const plan = { ...(plans[0] as ExplorationPlan), faults: 'any' } as const;
      return await drive(explorer, plan, stop);
    }
    if (values.schedule !== undefined) {
      const played = await explorer.replay(plans[0] as ExplorationPlan, values.schedule);
      terminal.print(tell(played));
      terminal.print(`  Replay: --schedule "${played.schedule}"`);
      draw(values.diagram, played, plans[0] as ExplorationPlan);
      return 0;
    }
    const found: Exploration[] = [];
    for (const plan of plans) {
      if (stop.aborted) break;
      const preemptions =
        values.preemptions ?? (plan.strategy.needs.includes('redlock') ? REDLOCK_PREEMPTIONS : undefined);
      const bound = preemptions === undefined ? undefined : Number(preemptions);
      const exploration = explorer.explore(plan, {
        stop,
        first: values.first,
        ...(bound !== undefined && { preemptions: bound }),
        ...(most !== undefined && { most }),
        ...(values['no-reduction'] && { reduced: false }),
        onProgress: ({ runs, cut }) => {
          terminal.rewrite(`${plan.strategy.name}: ${runs} schedules run, ${cut} cut short`);
        },
      });
      const one = await exploration;
      terminal.rewrite('');
      found.push(one);
      terminal.print(report(one, commandOf(plan)));
      draw(values.diagram, one.counterexample, plan);
      if (values.record && !isInterrupted())
        terminal.say(`Recorded: ${writeExploration(SHIPPED_EXPLORATIONS, recordOf(one, bound))}`);
    }
    if (found.length > 1) terminal.print(table(found));
    if (values.record && !stop.aborted)
      terminal.say(
        `Recorded in ${recordResults(
          found,
          strategies.map(({ name }) => name),
        )}`,
      );
    if (values.json !== undefined)
      writeFileSync(resolve(values.json), `${JSON.stringify(found, bigintAsText, 2)}\n`);
    if (stop.aborted) {
      terminal.say('Interrupted: the verdicts above cover only the schedules that were run.');
      return INTERRUPTED;
    }
    return found.every(({ ok }) => ok) ? 0 : 1;
  } finally {
    await explorer.close();
  }
}

/** The options of a search mean nothing where the user chooses every step. */
function refuseWithInteractive(
  values: Readonly<Record<string, string | boolean | undefined>>,
  names: readonly string[],
): void {
  if (names.length > 1) throw new UsageError('--interactive drives one strategy; name only one.');
  const search = [
    'all',
    'schedule',
    'preemptions',
    'max',
    'first',
    'no-reduction',
    'json',
    'diagram',
    'record',
  ];
  const given = search.find((name) => values[name] !== undefined && values[name] !== false);
  if (given === undefined && values['faults'] === 'none') return;
  throw new UsageError(
    `--interactive and --${given ?? 'faults'} exclude each other: you choose every step, and every fault can be chosen.`,
  );
}

function faultsOf(text: string): Faults {
  const found = FAULTS.find((fault) => fault === text);
  if (!found) throw new UsageError(`--faults must be ${FAULTS.join(', ')}, not ${JSON.stringify(text)}.`);
  return found;
}

function draw(file: string | undefined, played: Played | undefined, plan: ExplorationPlan): void {
  if (file === undefined || !played) return;
  writeFileSync(resolve(file), drawSequence(diagramOf(played, plan)));
  terminal.say(`The sequence diagram: ${resolve(file)}`);
}

function bigintAsText(_key: string, value: unknown): unknown {
  return typeof value === 'bigint' ? String(value) : value;
}
