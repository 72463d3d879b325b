import { writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { LabError, UsageError } from '../errors.js';
import { interruption } from '../interruption.js';
import { requireWritableFile } from '../output-files.js';
import { readOptions } from '../probe/options.js';
import { probeShop, type ProbeResult } from '../probe/probe.js';
import { conclusion, jsonReport, roundLine } from '../probe/report.js';
import { BROKEN } from '../probe/verdict.js';
import { terminal } from '../terminal.js';

const INCONCLUSIVE = 3;
const INTERRUPTED = 130;

/** `lockstock probe`: many buyers at once at a service of the user's own. */
export async function probe(args: string[]): Promise<number> {
  const options = readOptions(args);
  requireWritableFile('json', options.json);
  const stop = interruption();
  terminal.say(`${options.buyers} buyers at once at ${options.buy.url}, up to ${options.rounds} rounds …`);
  let rounds = 0;
  const result = await probeShop(options, stop, (round) => {
    rounds += 1;
    terminal.print(roundLine(round, rounds));
  }).catch((error: unknown): ProbeResult => {
    // Exit code 1 says that a service oversells; a service that cannot be probed is another matter.
    if (error instanceof UsageError || !(error instanceof LabError)) throw error;
    return { verdict: 'INCONCLUSIVE', why: error.message, rounds: [] };
  });
  terminal.print(conclusion(result));
  if (options.json !== undefined) write(options.json, jsonReport(result, options));
  if (BROKEN.includes(result.verdict)) return 1;
  if (stop.aborted) {
    terminal.say('Interrupted: only the rounds above were judged.');
    return INTERRUPTED;
  }
  return result.verdict === 'HELD' ? 0 : INCONCLUSIVE;
}

function write(path: string, text: string): void {
  try {
    writeFileSync(resolve(path), text);
  } catch (error) {
    throw new UsageError(`--json ${path} cannot be written: ${(error as Error).message}.`);
  }
}
