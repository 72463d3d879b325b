import { relative } from 'node:path';
import { judge } from '../bench/bars.js';
import { compareRuns } from '../bench/compare-runs.js';
import { readReport, writeReport } from '../bench/files.js';
import { describeBenchMachine } from '../bench/machine.js';
import { type BenchOptions, readOptions } from '../bench/options.js';
import { type BenchReport } from '../bench/report.js';
import { runParts } from '../bench/run.js';
import { barsTable, terminalReport } from '../bench/texts.js';
import { loadAverage } from '../compare/machine.js';
import { interruption } from '../interruption.js';
import { textTable } from '../report/text-table.js';
import { terminal } from '../terminal.js';

const INTERRUPTED = 130;

/** `lockstock bench`: how fast strategies and locks are, and what limits them. */
export async function bench(args: string[]): Promise<number> {
  const options = readOptions(args);
  if ('compare' in options) {
    const [before, after] = options.compare;
    terminal.print(compareRuns(readReport(before), readReport(after)));
    return 0;
  }
  const stop = interruption();
  const startedAt = new Date();
  const machine = describeBenchMachine(loadAverage());
  const parts = await runParts(options, stop);
  const measured = parts.some(({ tables }) => tables.some(({ points }) => points.length > 0));
  if (!measured) {
    terminal.say('Interrupted before anything was measured. All servers are stopped.');
    return INTERRUPTED;
  }
  const { command, quick } = options;
  const report: BenchReport = {
    ...{
      format: 1,
      command,
      startedAt: startedAt.toISOString(),
      durationMs: Date.now() - startedAt.getTime(),
    },
    ...{ complete: !stop.aborted, quick, machine, parts, bars: judge(parts) },
  };
  return conclude(report, options, stop);
}

function conclude(report: BenchReport, options: BenchOptions, stop: AbortSignal): number {
  const { bars, parts } = report;
  terminal.print(terminalReport(parts));
  if (bars.length > 0) terminal.print(`\n${barsTable(bars, textTable)}`);
  const files = writeReport(report, options);
  terminal.print(`\n${files.map((file) => relative(process.cwd(), file)).join('\n')}`);
  if (stop.aborted) {
    terminal.say('Interrupted: the report has what was measured until then. All servers are stopped.');
    return INTERRUPTED;
  }
  if (!options.check) return 0;
  const missed = bars.filter(({ met }) => !met);
  if (bars.length === 0) terminal.warn('--check: the chosen parts have no bars.');
  if (missed.length > 0)
    terminal.warn(`--check: ${missed.length} of ${bars.length} bars are missed or not measured.`);
  return missed.length > 0 || bars.length === 0 ? 1 : 0;
}
