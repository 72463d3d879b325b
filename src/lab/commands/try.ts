import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { readArguments } from '../arguments.js';
import { UsageError } from '../errors.js';
import { interruption } from '../interruption.js';
import { requireInstalled } from '../named-strategies.js';
import { requireWritableFile } from '../output-files.js';
import { compileStrategy } from '../own/compile.js';
import { declaredIn } from '../own/declared.js';
import { trialPage } from '../own/html.js';
import { contradictions, exitCodeOf } from '../own/judgement.js';
import { trialText } from '../own/report.js';
import { type Trial, trial } from '../own/trial.js';
import { terminal } from '../terminal.js';

const INTERRUPTED = 130;
const LARGEST_BYTES = 1_000_000;

/** `lockstock try`: tests a strategy that is not part of this project. */
export async function tryStrategy(args: string[]): Promise<number> {
  const { values, positionals } = readArguments(
    'try',
    args,
    { json: { type: 'string' }, html: { type: 'string' }, quick: { type: 'boolean', default: false } },
    true,
  );
  const [given] = positionals;
  if (given === undefined || positionals.length > 1)
    throw new UsageError(
      'Name one file, for example `lockstock try my-strategy.ts`. `lockstock new my-strategy` writes one.',
    );
  const path = requireSource(given);
  requireWritableFile('json', values.json);
  requireWritableFile('html', values.html);
  const stop = interruption();
  const folder = mkdtempSync(join(tmpdir(), 'lockstock-try-'));
  try {
    const compiled = await terminal.step(`checking and compiling ${given}`, () =>
      compileStrategy(path, folder),
    );
    const strategy = await declaredIn(compiled, given);
    requireInstalled(strategy);
    if (stop.aborted) return INTERRUPTED;
    const found = await trial({ strategy, compiled, quick: values.quick, stop, onProgress });
    terminal.rewrite('');
    if (!found) return INTERRUPTED;
    terminal.print(trialText(found));
    if (values.json !== undefined) writeFileSync(resolve(values.json), `${asJson(found)}\n`);
    if (values.html !== undefined) writeFileSync(resolve(values.html), trialPage(found));
    return exitCodeOf(found);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function requireSource(given: string): string {
  const path = resolve(given);
  const found = statSync(path, { throwIfNoEntry: false });
  if (!found)
    throw new UsageError(
      `There is no file ${path}. \`npx lockstock new my-strategy\` writes one to begin with.`,
    );
  if (!found.isFile())
    throw new UsageError(`${path} is not a file. Name the TypeScript file of one strategy.`);
  if (!path.endsWith('.ts'))
    throw new UsageError(`${path} does not end in .ts. A strategy is a TypeScript file.`);
  if (found.size > LARGEST_BYTES) throw new UsageError(`${path} is larger than ${LARGEST_BYTES} bytes.`);
  return path;
}

let last = '';

/** On a terminal one line is replaced; in a log each part is a line, without the counts in it. */
function onProgress(what: string): void {
  if (process.stderr.isTTY) terminal.rewrite(what);
  const part = what.replace(/: \d+ schedules run$/, '');
  if (!process.stderr.isTTY && part !== last) terminal.say(`${part} …`);
  last = part;
}

function asJson(found: Trial): string {
  const whole = { ...found, contradictions: contradictions(found) };
  return JSON.stringify(
    whole,
    (_key, value: unknown) => (typeof value === 'bigint' ? String(value) : value),
    2,
  );
}
