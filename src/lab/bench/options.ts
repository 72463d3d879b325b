import { join, resolve } from 'node:path';
import { readArguments, wholeNumber } from '../arguments.js';
import { UsageError } from '../errors.js';
import { requireWritableFile, requireWritableFolder } from '../output-files.js';
import { ROOT } from '../paths.js';
import { type PartName, PARTS } from './report.js';

export interface BenchOptions {
  /** As it was typed, for the report. */
  readonly command: string;
  readonly parts: readonly PartName[];
  /** Of both: undefined where each part has its own. */
  readonly rounds: number | undefined;
  readonly seconds: number | undefined;
  readonly buyers: number;
  /** Of the soak. */
  readonly minutes: number;
  readonly quick: boolean;
  readonly check: boolean;
  readonly json: string | undefined;
  readonly out: string;
}

/** Two files of earlier runs. */
export interface ComparedFiles {
  readonly compare: readonly [before: string, after: string];
}

/** Without the soak, which takes longer than everything else together. */
const DEFAULT_PARTS: readonly PartName[] = ['http', 'locks', 'scaling', 'start', 'audit'];

/** Reads the command line of `lockstock bench`. Everything that can be wrong with it is found here, before servers start. */
export function readOptions(args: string[]): BenchOptions | ComparedFiles {
  const { values, positionals } = readArguments(
    'bench',
    args,
    {
      only: { type: 'string' },
      rounds: { type: 'string' },
      seconds: { type: 'string' },
      buyers: { type: 'string', default: '32' },
      minutes: { type: 'string' },
      quick: { type: 'boolean', default: false },
      check: { type: 'boolean', default: false },
      json: { type: 'string' },
      out: { type: 'string' },
      compare: { type: 'boolean', default: false },
    },
    true,
  );
  if (values.compare) return comparedFiles(args, positionals);
  if (positionals.length > 0)
    throw new UsageError(
      `bench takes no name ${JSON.stringify(positionals[0])}; --only chooses what is measured.`,
    );
  const parts = chosenParts(values.only);
  if (values.minutes !== undefined && !parts.includes('soak'))
    throw new UsageError('--minutes is the length of the soak. Add --only soak.');
  const { quick, check, json, out = join(ROOT, 'reports/bench') } = values;
  requireWritableFile('json', json);
  requireWritableFolder('out', out);
  return {
    command: ['npx lockstock bench', ...args].join(' '),
    ...{ parts, quick, check },
    rounds: values.rounds === undefined ? undefined : wholeNumber('rounds', values.rounds, 1, 100),
    seconds: values.seconds === undefined ? undefined : wholeNumber('seconds', values.seconds, 1, 60),
    buyers: wholeNumber('buyers', values.buyers, 1, 1000),
    minutes: wholeNumber('minutes', values.minutes ?? (quick ? '1' : '10'), 1, 600),
    json: json === undefined ? undefined : resolve(json),
    out: resolve(out),
  };
}

function chosenParts(only: string | undefined): readonly PartName[] {
  if (only === undefined) return DEFAULT_PARTS;
  const wanted = only.split(',').map((part) => part.trim());
  const unknown = wanted.find((name) => !PARTS.some((part) => part === name));
  if (unknown !== undefined)
    throw new UsageError(
      `--only must be some of ${PARTS.join(', ')}, separated by commas, not ${JSON.stringify(unknown)}.`,
    );
  return PARTS.filter((part) => wanted.includes(part));
}

function comparedFiles(args: readonly string[], positionals: readonly string[]): ComparedFiles {
  const [before, after, ...more] = positionals;
  if (before === undefined || after === undefined || more.length > 0 || args.length !== 3)
    throw new UsageError(
      '--compare needs exactly two files and no other option: lockstock bench --compare before.json after.json',
    );
  return { compare: [before, after] };
}
