import { join, relative } from 'node:path';
import { readArguments, wholeNumber } from '../arguments.js';
import { REPORT_COLUMNS } from '../compare/columns.js';
import { type Comparison } from '../compare/comparison.js';
import { describeMachine, loadAverage } from '../compare/machine.js';
import { type ComparedLoads, Measurements } from '../compare/measurements.js';
import { estimateSeconds, plan, type PlannedStep } from '../compare/plan.js';
import { writeReports } from '../compare/reports.js';
import { byInstances, instancesTitle } from '../compare/texts.js';
import { LabError, UsageError } from '../errors.js';
import { interruption } from '../interruption.js';
import { type Load } from '../load/run.js';
import { Target } from '../load/target.js';
import { requireStrategies } from '../named-strategies.js';
import { requireWritableFolder } from '../output-files.js';
import { ROOT } from '../paths.js';
import { type PrivateSystem, withPrivateSystem } from '../private-system.js';
import { textTable } from '../report/text-table.js';
import { terminal } from '../terminal.js';
import { MAX_INSTANCES } from './up.js';

interface CompareOptions {
  readonly command: string;
  readonly rounds: number;
  readonly seconds: number;
  readonly buyers: number;
  readonly instances: readonly number[];
  readonly strategies: readonly string[] | undefined;
  readonly out: string;
}

const INTERRUPTED = 130;

/** `lockstock compare`: all strategies under the same load, on a private system. */
export async function compare(args: string[]): Promise<number> {
  const options = parse(args);
  await requireStrategies(options.strategies ?? []);
  requireWritableFolder('out', options.out);
  const stop = interruption();
  const before = loadAverage();
  terminal.say('starting private servers and instances …');
  const comparison = await withPrivateSystem(
    {
      instances: Math.max(...options.instances),
      report: (message) => {
        terminal.warn(message);
      },
    },
    stop,
    (system) => measure(options, system, before, stop),
  );
  if (!comparison || comparison.results.length === 0) return INTERRUPTED;
  terminal.print(terminalReport(comparison));
  const files = writeReports(comparison, options.out);
  terminal.print(`\n${files.map((file) => relative(process.cwd(), file)).join('\n')}`);
  const broken = comparison.results.filter(({ kept }) => !kept);
  for (const { strategy, instances, explanation } of broken) {
    terminal.warn(`${strategy} with ${instances} instances broke its promise. ${explanation}`);
  }
  if (broken.length > 0) return 1;
  return stop.aborted ? INTERRUPTED : 0;
}

async function measure(
  options: CompareOptions,
  { servers, shop }: PrivateSystem,
  loadAverageBefore: number,
  stop: AbortSignal,
): Promise<Comparison> {
  const { command, rounds, seconds, instances } = options;
  const target = await Target.open(shop.url, shop.adminToken);
  const machine = await describeMachine(servers.addresses, loadAverageBefore);
  const strategies = chosen(target, options.strategies);
  const loads = loadsOf(options);
  const measurements = new Measurements(target, loads, stop);
  const steps = plan({ strategies, instances, rounds });
  terminal.say(
    `${strategies.length} strategies, ${steps.length} measurements: ` +
      `about ${Math.ceil(estimateSeconds(steps, seconds) / 60)} min. Ctrl-C ends it early and writes the report.`,
  );
  const startedAt = new Date();
  for (const [index, step] of steps.entries()) {
    if (stop.aborted) break;
    showProgress(steps, index, startedAt);
    await measurements.take(step);
  }
  terminal.rewrite('');
  const { verdict, speed } = loads;
  return {
    format: 1,
    command,
    startedAt: startedAt.toISOString(),
    durationMs: Date.now() - startedAt.getTime(),
    complete: !stop.aborted,
    machine,
    loads: {
      verdict: { stock: verdict.stock, buyers: verdict.buyers, requests: verdict.requests },
      speed: { stock: speed.stock, buyers: speed.buyers, seconds, rounds },
    },
    noop: measurements.noop,
    results: measurements.results,
  };
}

function chosen(target: Target, wanted: readonly string[] | undefined): string[] {
  if (wanted) return wanted.map((name) => target.strategy(name).name);
  const all = [...target.strategies.values()];
  const away = all.filter(({ available }) => !available).map(({ name }) => name);
  if (away.length > 0) terminal.warn(`Skipped, because their servers are not available: ${away.join(', ')}`);
  const available = all.filter(({ available }) => available).map(({ name }) => name);
  if (available.length === 0) throw new LabError('No strategy is available.');
  return available;
}

/** A small stock for many buyers; then enough stock for all of them. */
function loadsOf({ buyers, seconds }: CompareOptions): ComparedLoads {
  const common = { quantity: 1, retry: true } as const;
  const verdict: Load = { ...common, stock: 50, buyers: 100, requests: 250, seconds: 15 };
  return { verdict, speed: { ...common, stock: 1_000_000, buyers, requests: 1_000_000, seconds } };
}

function showProgress(steps: readonly PlannedStep[], index: number, startedAt: Date): void {
  const step = steps[index];
  if (!step) return;
  const what = step.kind === 'noop' ? 'no-op POST' : step.strategy;
  const phase = step.kind === 'verdict' ? 'verdicts' : `round ${step.round}`;
  const elapsed = (Date.now() - startedAt.getTime()) / 1000;
  const left =
    index === 0 ? '' : `, about ${Math.ceil(((elapsed / index) * (steps.length - index)) / 60)} min left`;
  const title = `${phase}, ${instancesTitle(step.instances).toLowerCase()}`;
  terminal.rewrite(`${index + 1} of ${steps.length}${left}: ${title}: ${what}`);
  // Without a terminal, print one line per phase.
  const before = steps[index - 1];
  if (!process.stderr.isTTY && (before?.kind === 'verdict') !== (step.kind === 'verdict')) {
    terminal.say(`${step.kind === 'verdict' ? 'verdicts' : `speed${left}`} …`);
  }
}

function terminalReport(comparison: Comparison): string {
  return byInstances(comparison)
    .map(
      ({ instances, rows }) =>
        `\n${terminal.bold(instancesTitle(instances))}\n${textTable(REPORT_COLUMNS, rows)}`,
    )
    .join('\n');
}

function parse(args: string[]): CompareOptions {
  const { values } = readArguments('compare', args, {
    rounds: { type: 'string' },
    seconds: { type: 'string' },
    buyers: { type: 'string' },
    instances: { type: 'string' },
    strategies: { type: 'string' },
    out: { type: 'string' },
  });
  const list = (text: string) => [...new Set(text.split(',').map((part) => part.trim()))].filter(Boolean);
  const instances = list(values.instances ?? '1,3').map((text) =>
    wholeNumber('instances', text, 1, MAX_INSTANCES),
  );
  const strategies = values.strategies === undefined ? undefined : list(values.strategies);
  if (instances.length === 0 || strategies?.length === 0)
    throw new UsageError('--strategies and --instances need at least one value.');
  return {
    command: ['npx lockstock compare', ...args].join(' '),
    rounds: wholeNumber('rounds', values.rounds ?? '2', 1, 100),
    seconds: wholeNumber('seconds', values.seconds ?? '2', 1, 600),
    buyers: wholeNumber('buyers', values.buyers ?? '32', 1, 1000),
    instances,
    strategies,
    out: values.out ?? join(ROOT, 'reports'),
  };
}
