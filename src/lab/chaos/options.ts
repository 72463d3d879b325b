import { randomInt } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { readArguments, wholeNumber } from '../arguments.js';
import { UsageError } from '../errors.js';
import { FAULTS, type FaultName, type Menu, MODES } from './plan/generate.js';
import { type Plan, planSchema } from './plan/plan.js';
import { OPERATIONS } from './plan/steps.js';

const MAX_SEED = 2 ** 31;
/** The number of goods in the catalogue. */
const MAX_GOODS = 12;

export interface ChaosOptions extends Omit<Menu, 'strategies'> {
  readonly seed: number;
  /** No round begins later than this. */
  readonly seconds: number;
  readonly rounds: number;
  /** Empty: all that promise to be safe. */
  readonly strategies: readonly string[];
  readonly replay: Plan | undefined;
  /** How often a replayed plan is tried at most. */
  readonly tries: number;
  readonly shrinkSeconds: number;
  /** Judge every strategy as if it promised to be always safe. */
  readonly strict: boolean;
  readonly keepGoing: boolean;
  readonly out: string;
  readonly json: boolean;
}

/** Reads the command line of `lockstock chaos`. */
export function readOptions(args: string[]): ChaosOptions {
  const { values } = readArguments('chaos', args, {
    seed: { type: 'string' },
    minutes: { type: 'string' },
    seconds: { type: 'string' },
    rounds: { type: 'string' },
    strategies: { type: 'string' },
    faults: { type: 'string' },
    mode: { type: 'string' },
    without: { type: 'string' },
    goods: { type: 'string' },
    clients: { type: 'string' },
    replay: { type: 'string' },
    tries: { type: 'string' },
    'shrink-seconds': { type: 'string' },
    'keep-going': { type: 'boolean' },
    strict: { type: 'boolean' },
    out: { type: 'string' },
    json: { type: 'boolean' },
  });
  return {
    seed: wholeNumber('seed', values.seed ?? String(randomInt(MAX_SEED)), 0, MAX_SEED),
    seconds:
      values.seconds === undefined
        ? 60 * wholeNumber('minutes', values.minutes ?? '5', 1, 120)
        : wholeNumber('seconds', values.seconds, 1, 7200),
    rounds: wholeNumber('rounds', values.rounds ?? '1000000', 1, 1_000_000),
    strategies: listed(values.strategies),
    faults: faultsOf(values.faults ?? 'all'),
    mode: oneOf('mode', values.mode ?? 'both', MODES),
    without: listed(values.without).map((name) => oneOf('without', name, OPERATIONS)),
    goods: wholeNumber('goods', values.goods ?? '4', 1, MAX_GOODS),
    clients: wholeNumber('clients', values.clients ?? '12', 1, 200),
    replay: values.replay === undefined ? undefined : planFrom(values.replay),
    tries: wholeNumber('tries', values.tries ?? '20', 1, 10_000),
    shrinkSeconds: wholeNumber('shrink-seconds', values['shrink-seconds'] ?? '60', 0, 3600),
    keepGoing: values['keep-going'] ?? false,
    strict: values.strict ?? false,
    out: values.out ?? 'reports/chaos',
    json: values.json ?? false,
  };
}

function listed(text: string | undefined): string[] {
  return text === undefined ? [] : [...new Set(text.split(',').map((name) => name.trim()))];
}

/** `none`, `all`, or names; `kill` stands for every kill, and `redis` for every fault of Redis. */
function faultsOf(text: string): readonly FaultName[] {
  if (text === 'none') return [];
  if (text === 'all') return FAULTS;
  return listed(text).flatMap((name) => {
    const named = FAULTS.filter((fault) => fault === name || fault.split('-').includes(name));
    if (named.length > 0) return named;
    throw new UsageError(
      `--faults must be none, all, or some of ${FAULTS.join(', ')}, not ${JSON.stringify(name)}.`,
    );
  });
}

function oneOf<T extends string>(option: string, text: string, known: readonly T[]): T {
  const found = known.find((one) => one === text);
  if (found !== undefined) return found;
  throw new UsageError(`--${option} must be one of ${known.join(', ')}, not ${JSON.stringify(text)}.`);
}

function planFrom(path: string): Plan {
  try {
    const content = JSON.parse(readFileSync(path, 'utf8')) as { plan?: unknown };
    return planSchema.parse(content.plan ?? content);
  } catch (error) {
    const said = error instanceof Error ? error.message.split('\n')[0] : String(error);
    throw new UsageError(`--replay: ${path} cannot be read as a plan (${said ?? ''}).`);
  }
}
