import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { LabError, UsageError } from '../errors.js';
import { chart } from './chart.js';
import { type BenchReport, type TableReport } from './report.js';
import { markdownReport } from './texts.js';

/** Writes the report into the folder as JSON, Markdown and one SVG for each table, and as JSON to a file of choice. */
export function writeReport(
  report: BenchReport,
  { out, json }: { out: string; json: string | undefined },
): string[] {
  const data = `${JSON.stringify(report, null, 1)}\n`;
  const tables = report.parts.flatMap((part) => part.tables);
  const files: [path: string, content: string][] = [
    [join(out, 'bench.json'), data],
    [join(out, 'bench.md'), markdownReport(report, chartName)],
    ...tables.map((table): [string, string] => [join(out, chartName(table)), chart(table)]),
    ...(json === undefined ? [] : [[json, data] satisfies [string, string]]),
  ];
  try {
    mkdirSync(out, { recursive: true });
    for (const [path, content] of files) writeFileSync(path, content);
  } catch (error) {
    throw new LabError(`The report cannot be written: ${(error as Error).message}.`);
  }
  return files.map(([path]) => path);
}

function chartName({ title }: TableReport): string {
  return `bench-${title.toLowerCase().replace(/[^a-z0-9]+/g, '-')}.svg`;
}

/** A report that `lockstock bench` has written. */
export function readReport(path: string): BenchReport {
  let content: unknown;
  try {
    content = JSON.parse(readFileSync(path, 'utf8'));
  } catch (error) {
    throw new UsageError(`${path} cannot be read: ${(error as Error).message}.`);
  }
  if (!isReport(content))
    throw new UsageError(
      `${path} is not a report of \`lockstock bench\`. Use a bench.json, or a file written by --json.`,
    );
  return content;
}

function isReport(content: unknown): content is BenchReport {
  const { format, machine, parts } = (content ?? {}) as Partial<BenchReport>;
  return format === 1 && typeof machine?.id === 'string' && Array.isArray(parts);
}
