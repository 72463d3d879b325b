import { writeFileSync } from 'node:fs';
import { type LoadResult } from '../../contract/lab-runs.js';
import { readArguments, wholeNumber } from '../arguments.js';
import { DataFolder } from '../data-folder.js';
import { LabError, UsageError } from '../errors.js';
import { interruption } from '../interruption.js';
import { isFailure } from '../load/judgement.js';
import { ProgressLine } from '../load/progress.js';
import { resultTable } from '../load/result-table.js';
import { type Load, runLoad } from '../load/run.js';
import { Target } from '../load/target.js';
import { requireStrategies } from '../named-strategies.js';
import { requireWritableFile } from '../output-files.js';
import { DEFAULT_DATA } from '../paths.js';
import { withPrivateSystem } from '../private-system.js';
import { terminal } from '../terminal.js';
import { MAX_INSTANCES } from './up.js';

interface LoadOptions {
  readonly strategies: readonly string[];
  readonly load: Load;
  /** A system that another process runs. */
  readonly url: string | undefined;
  readonly token: string | undefined;
  readonly data: string;
  readonly json: string | undefined;
  readonly strict: boolean;
}

const DEFAULT_INSTANCES = 3;
const INTERRUPTED = 130;

/** `lockstock load`: buyers on a running system, or on a private one. */
export async function load(args: string[]): Promise<number> {
  const options = parse(args);
  requireWritableFile('json', options.json);
  const stop = interruption();
  const running = await runningSystem(options);
  if (!running) await requireStrategies(options.strategies);
  const results = running ? await runAll(running, options, stop) : await runPrivately(options, stop);
  if (results.length > 0) terminal.print(`\n${resultTable(results)}`);
  if (options.json !== undefined) writeResults(options.json, options.load, results);
  const { strict } = options;
  const broken = results.filter((result) => isFailure(result, { strict }));
  if (broken.length > 0) {
    terminal.warn(
      `${strict ? 'Not SAFE' : 'Promise broken'}: ${broken.map(({ strategy }) => strategy).join(', ')}`,
    );
    return 1;
  }
  return stop.aborted ? INTERRUPTED : 0;
}

/** The system at --url, or the one that runs in the data folder, or none. */
async function runningSystem({
  url,
  token,
  data,
  load: { instances },
}: LoadOptions): Promise<Target | undefined> {
  const occupied = url === undefined ? new DataFolder(data).occupied : undefined;
  const found = url ?? occupied?.url;
  if (found === undefined) return undefined;
  const target = await Target.open(found, token ?? occupied?.adminToken ?? '');
  if (instances !== undefined) await requireInstances(target, instances);
  return target;
}

/** Only a lab's own gateway can send requests to some of its instances. */
async function requireInstances({ url }: Target, wanted: number): Promise<void> {
  const response = await fetch(`${url}/lab/system`).catch(() => undefined);
  const system = response?.ok ? ((await response.json()) as { instances: unknown[] }) : undefined;
  if (!system) throw new LabError(`--instances needs a lab, and the system at ${url} is not one.`);
  const { length } = system.instances;
  if (wanted > length) throw new LabError(`--instances ${wanted} is too many: ${length} run at ${url}.`);
}

async function runPrivately(options: LoadOptions, stop: AbortSignal): Promise<LoadResult[]> {
  const { instances = DEFAULT_INSTANCES } = options.load;
  terminal.say(`no lab is running: starting private servers and ${instances} instances …`);
  const system = {
    instances,
    report: (message: string) => {
      terminal.warn(message);
    },
  };
  const results = await withPrivateSystem(system, stop, async ({ shop }) =>
    runAll(await Target.open(shop.url, shop.adminToken), options, stop),
  );
  return results ?? [];
}

async function runAll(
  target: Target,
  { strategies, load }: LoadOptions,
  stop: AbortSignal,
): Promise<LoadResult[]> {
  for (const strategy of strategies) target.strategy(strategy);
  terminal.say(`${load.buyers} buyers at ${target.url} …`);
  const results: LoadResult[] = [];
  for (const strategy of strategies) {
    if (stop.aborted) break;
    const line = new ProgressLine(load.requests);
    try {
      results.push(
        await runLoad(target, strategy, load, {
          stop,
          onSample: (sample) => {
            line.show(sample);
          },
        }),
      );
    } finally {
      line.end();
    }
  }
  return results;
}

function writeResults(path: string, load: Load, results: readonly LoadResult[]): void {
  try {
    writeFileSync(path, `${JSON.stringify({ load, results }, null, 2)}\n`);
  } catch (error) {
    throw new LabError(`--json: ${error instanceof Error ? error.message : String(error)}`);
  }
}

function parse(args: string[]): LoadOptions {
  const { values, positionals } = readArguments(
    'load',
    args,
    {
      stock: { type: 'string' },
      buyers: { type: 'string' },
      requests: { type: 'string' },
      quantity: { type: 'string' },
      instances: { type: 'string' },
      seconds: { type: 'string' },
      'no-retry': { type: 'boolean' },
      url: { type: 'string' },
      token: { type: 'string' },
      data: { type: 'string' },
      json: { type: 'string' },
      strict: { type: 'boolean' },
    },
    true,
  );
  if (positionals.length === 0) {
    throw new UsageError('Name at least one strategy, for example: lockstock load for-update no-lock');
  }
  if (values.url !== undefined && !/^https?:\/\/[^/]/.test(values.url)) {
    throw new UsageError(
      `--url must be a URL such as http://localhost:8080, not ${JSON.stringify(values.url)}.`,
    );
  }
  const optional = (name: 'instances' | 'seconds', max: number) => {
    const text = values[name];
    return text === undefined ? undefined : wholeNumber(name, text, 1, max);
  };
  return {
    strategies: [...new Set(positionals)],
    load: {
      stock: wholeNumber('stock', values.stock ?? '100', 0, 1_000_000),
      buyers: wholeNumber('buyers', values.buyers ?? '100', 1, 1000),
      requests: wholeNumber('requests', values.requests ?? '1000', 1, 1_000_000),
      quantity: wholeNumber('quantity', values.quantity ?? '1', 1, 100),
      instances: optional('instances', MAX_INSTANCES),
      seconds: optional('seconds', 3600),
      retry: values['no-retry'] !== true,
    },
    url: values.url,
    token: values.token ?? process.env['ADMIN_TOKEN'],
    data: values.data ?? DEFAULT_DATA,
    json: values.json,
    strict: values.strict ?? false,
  };
}
