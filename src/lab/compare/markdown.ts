import { milliseconds, whole } from '../report/numbers.js';
import { markdownTable } from '../report/text-table.js';
import { REPORT_COLUMNS } from './columns.js';
import { type Comparison } from './comparison.js';
import { byInstances, instancesTitle, introduction, machineLine, madeBy } from './texts.js';

/** The report as Markdown. */
export function markdownReport(comparison: Comparison): string {
  const sections = byInstances(comparison).flatMap(({ instances, noop, rows }) => [
    `## ${instancesTitle(instances)}`,
    markdownTable(REPORT_COLUMNS, rows),
    noop
      ? `No-op POST: ${whole(noop.throughput)} per second, p50 ${milliseconds(noop.p50)} ms, p99 ${milliseconds(noop.p99)} ms.`
      : '',
  ]);
  return [
    '# Comparison of the strategies',
    madeBy(comparison),
    machineLine(comparison),
    introduction(comparison)
      .map((line) => `- ${line}`)
      .join('\n'),
    ...sections,
    '## What the columns mean',
    REPORT_COLUMNS.map(({ title, meaning }) => `- _${title}_: ${meaning}`).join('\n'),
  ]
    .filter(Boolean)
    .join('\n\n')
    .concat('\n');
}
