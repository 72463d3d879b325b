import { parseArgs } from 'node:util';
import { type Invariant, INVARIANTS } from './judge/violation.js';
import { FUZZ_KINDS } from './kinds/index.js';
import { PLANTED_KINDS } from './kinds/planted.js';
import { type FuzzKind } from './kinds/kind.js';
import { type Topology } from './kinds/places.js';
import { type Plan, planSchema } from './plan/plan.js';

export const HELP = `Usage: npm run fuzz:locks -- [options]

Runs random plans of callers and faults against every kind of lock, on private servers, and looks for
runs that break a promise of the locks: two holders, tokens that do not rise, a key that stays locked,
a call that hangs, something left behind, a wrong outcome of \`using\` or \`release\`.

Options:
  --seeds N         how many seeds for each kind of lock (default 100)
  --seed S          the first seed (default 1); --seed S --seeds 1 runs one again
  --kind NAME       only this kind of lock; may be given several times
  --topology T      of Redis: single, sentinel or cluster (default single)
  --parallel N      how many plans run at the same time (default 8)
  --plan JSON       replay one plan, as a failure prints it, --seeds times
  --ignore PROMISE  do not report violations of this promise; may be given several times:
                    ${INVARIANTS.join(', ')}
  --keep-going      report every failing seed instead of stopping at the first of each kind
  --no-shrink       print the plan of the seed, not the smallest plan that still fails
  -h, --help        this text

Kinds of lock:
${FUZZ_KINDS.map(({ name }) => `  ${name}`).join('\n')}

Locks with a planted defect, which must be found:
${PLANTED_KINDS.map(({ name }) => `  ${name}`).join('\n')}

A plan is random, but the servers and processes are real: a seed makes the same plan every time, not the
same run. Exit code 0 when no promise was broken, 1 when one was, 2 for wrong
options, 3 when the fuzzer itself failed, 130 after Ctrl-C.
`;

export interface FuzzOptions {
  readonly seeds: number;
  readonly firstSeed: number;
  readonly kinds: readonly FuzzKind[];
  readonly topology: Topology;
  readonly parallel: number;
  readonly plan: Plan | undefined;
  readonly ignored: readonly Invariant[];
  readonly keepGoing: boolean;
  readonly shrink: boolean;
}

/** What the user can put right. */
export class UsageError extends Error {}

/** Undefined when help was asked for. */
export function readOptions(args: string[]): FuzzOptions | undefined {
  const values = parse(args);
  if (values.help) return undefined;
  return {
    seeds: wholeNumber('seeds', values.seeds, 1),
    firstSeed: wholeNumber('seed', values.seed, 0),
    parallel: wholeNumber('parallel', values.parallel, 1),
    topology: topologyOf(values.topology),
    kinds: kindsOf(values.kind),
    plan: values.plan === undefined ? undefined : planFrom(values.plan),
    ignored: ignoredOf(values.ignore),
    keepGoing: values['keep-going'],
    shrink: !values['no-shrink'],
  };
}

function parse(args: string[]) {
  try {
    return parseArgs({
      args,
      options: {
        seeds: { type: 'string', default: '100' },
        seed: { type: 'string', default: '1' },
        kind: { type: 'string', multiple: true, default: [] },
        topology: { type: 'string', default: 'single' },
        parallel: { type: 'string', default: '8' },
        plan: { type: 'string' },
        ignore: { type: 'string', multiple: true, default: [] },
        'keep-going': { type: 'boolean', default: false },
        'no-shrink': { type: 'boolean', default: false },
        help: { type: 'boolean', short: 'h', default: false },
      },
    }).values;
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error));
  }
}

function wholeNumber(name: string, text: string, min: number): number {
  const number = /^\d+$/.test(text) ? Number(text) : NaN;
  if (number >= min) return number;
  throw new UsageError(`--${name} must be a whole number of at least ${min}, not ${JSON.stringify(text)}.`);
}

function topologyOf(text: string): Topology {
  if (text === 'single' || text === 'sentinel' || text === 'cluster') return text;
  throw new UsageError(`--topology must be single, sentinel or cluster, not ${JSON.stringify(text)}.`);
}

function kindsOf(names: readonly string[]): readonly FuzzKind[] {
  const known = [...FUZZ_KINDS, ...PLANTED_KINDS];
  for (const name of names)
    if (!known.some((kind) => kind.name === name))
      throw new UsageError(`There is no kind of lock called ${JSON.stringify(name)}. --help lists them.`);
  return names.length === 0 ? FUZZ_KINDS : known.filter(({ name }) => names.includes(name));
}

function ignoredOf(names: readonly string[]): readonly Invariant[] {
  return names.map((name) => {
    const known = INVARIANTS.find((invariant) => invariant === name);
    if (known) return known;
    throw new UsageError(`There is no promise called ${JSON.stringify(name)}. --help lists them.`);
  });
}

function planFrom(text: string): Plan {
  try {
    return planSchema.parse(JSON.parse(text));
  } catch (error) {
    throw new UsageError(`--plan is not a plan: ${error instanceof Error ? error.message : String(error)}`);
  }
}
