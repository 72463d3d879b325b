import { milliseconds, ratio, whole } from '../report/numbers.js';
import { type Column, markdownTable, textTable } from '../report/text-table.js';
import { type BarResult } from './bars.js';
import { type BenchReport, type PartReport, type Point, type TableReport } from './report.js';
import { median, ratios, summary } from './statistics.js';

type TableWriter = <Row>(columns: readonly Column<Row>[], rows: readonly Row[]) => string;

const RIGHT = { align: 'right' } as const;
const LIMITS = { generator: 'load generator', cpu: 'CPU', waiting: 'waiting' } as const;
const MARKS = { generator: ' (g)', cpu: ' (c)', waiting: '' } as const;
const FACTS: Readonly<Record<string, string>> = {
  attempts: 'attempts per sale',
  slowestShare: 'slowest buyer / mean',
};

export const LIMITS_EXPLAINED =
  'Limit: the *load generator* when its event loop was busy for 95 % of the time (the servers could have done more), ' +
  'the *CPU* when 90 % of all cores were in use, otherwise *waiting* for round trips, the disk or a lock.';
const MARKS_EXPLAINED = '(g): limited by the load generator; (c): limited by the CPU.';

/** A table of a report, for a terminal or for Markdown. */
export function writeTable(table: TableReport, write: TableWriter): string {
  return table.axis === undefined
    ? write(pointColumns(table), table.points)
    : write(curveColumns(table), namesOf(table)) + explained(table, write === textTable ? '\n' : '\n\n');
}

function explained({ points }: TableReport, newLine: string): string {
  const isMarked = points.some(({ limit }) => limit !== undefined && MARKS[limit.by] !== '');
  return isMarked ? newLine + MARKS_EXPLAINED : '';
}

function pointColumns({ title, unit, points, relativeTo = [] }: TableReport): Column<Point>[] {
  const facts = Object.keys(FACTS).filter((fact) =>
    points.some((point) => point.facts?.[fact] !== undefined),
  );
  return [
    { title: title.toLowerCase(), cell: ({ name }) => name },
    { ...RIGHT, title: unit, cell: ({ rounds }) => shown(median(rounds)) },
    { ...RIGHT, title: 'spread', cell: ({ rounds }) => spread(rounds) },
    ...(points.some(({ p99 }) => p99) ? [{ ...RIGHT, title: 'p99 ms', cell: p99Cell }] : []),
    ...relativeTo.map((name) => ({
      ...{ ...RIGHT, title: `× ${name}` },
      cell: ({ rounds }: Point) => relative(rounds, points.find((point) => point.name === name)?.rounds),
    })),
    ...facts.map((fact) => ({
      ...{ ...RIGHT, title: FACTS[fact] ?? fact },
      cell: (point: Point) => (point.facts?.[fact] === undefined ? '' : ratio(point.facts[fact])),
    })),
    { title: 'limit', cell: ({ limit }) => (limit ? LIMITS[limit.by] : '') },
  ];
}

/** Wider tables cannot be read; the chart has every point. */
const MOST_COLUMNS = 10;

function curveColumns({ axis = '', points }: TableReport): Column<string>[] {
  const all = [...new Set(points.map(({ x = 0 }) => x))].sort((a, b) => a - b);
  const nth = Math.ceil(all.length / MOST_COLUMNS);
  const xs = all.filter((_, index) => (all.length - 1 - index) % nth === 0);
  return [
    { title: axis, cell: (name) => name },
    ...xs.map((x) => ({
      ...{ ...RIGHT, title: Number.isInteger(x) ? whole(x) : x.toFixed(1) },
      cell: (name: string) => {
        const point = points.find((one) => one.name === name && one.x === x);
        if (!point) return '–';
        const p99 = point.p99 ? `, p99 ${milliseconds(median(point.p99))} ms` : '';
        return shown(median(point.rounds)) + p99 + (point.limit ? MARKS[point.limit.by] : '');
      },
    })),
  ];
}

function namesOf({ points }: TableReport): string[] {
  return [...new Set(points.map(({ name }) => name))];
}

const p99Cell = ({ p99 }: Point) => (p99 ? milliseconds(median(p99)) : '');

function shown(value: number): string {
  return value < 10 ? value.toFixed(2) : whole(value);
}

function spread(rounds: readonly number[]): string {
  const { least, most } = summary(rounds);
  return `${shown(least)}–${shown(most)}`;
}

function relative(rounds: readonly number[], base: readonly number[] | undefined): string {
  const all = ratios(rounds, base ?? []);
  return all.length === 0 ? '' : ratio(median(all));
}

export function barsTable(bars: readonly BarResult[], write: TableWriter): string {
  const columns: Column<BarResult>[] = [
    { title: 'bar', cell: ({ name }) => name },
    { ...RIGHT, title: 'goal', cell: ({ goal }) => goal },
    {
      ...RIGHT,
      title: 'ratio',
      cell: (bar) => (bar.ratio === undefined ? 'not measured' : ratio(bar.ratio)),
    },
    { ...RIGHT, title: 'rounds', cell: ({ rounds }) => ratioSpread(rounds) },
    { title: '', cell: ({ met }) => (met ? 'met' : 'missed') },
    { title: 'compared with', cell: ({ comparedWith = '' }) => comparedWith },
  ];
  return write(columns, bars);
}

function ratioSpread(rounds: readonly number[]): string {
  if (rounds.length === 0) return '';
  const { least, most } = summary(rounds);
  return `${ratio(least)}–${ratio(most)}`;
}

export function machineLine({ machine }: BenchReport): string {
  const { cores, cpu, memoryGib, node, database, redis, nginx, loadAverageBefore, id } = machine;
  return (
    `${cores} × ${cpu}, ${memoryGib} GiB, Node ${node}, ${database}, Redis ${redis}, nginx ${nginx}; machine ${id}; ` +
    `load average before the start: ${loadAverageBefore}` +
    (loadAverageBefore > cores / 2 ? ' (other programs were running: the numbers are low and noisy)' : '')
  );
}

export function madeBy({ command, startedAt, durationMs, complete, quick }: BenchReport): string {
  const how = [
    ...(quick ? ['quick: one short round, so the numbers mean little'] : []),
    ...(complete ? [] : ['stopped before the end']),
  ];
  const day = startedAt.slice(0, 16).replace('T', ' ');
  const minutes = (durationMs / 60_000).toFixed(1);
  return `Made by \`${command}\` on ${day} UTC in ${minutes} minutes${how.length > 0 ? ` (${how.join('; ')})` : ''}.`;
}

/** The report for a terminal. */
export function terminalReport(parts: readonly PartReport[]): string {
  return parts
    .flatMap(({ tables, notes }) => [
      ...tables.map((table) => `\n${table.title}, ${table.unit}\n${writeTable(table, textTable)}`),
      ...notes.map((note) => `- ${note}`),
    ])
    .join('\n');
}

/** The report as Markdown. The charts are files beside it. */
export function markdownReport(report: BenchReport, chartOf: (table: TableReport) => string): string {
  const { parts, bars } = report;
  return [
    '# Benchmark',
    madeBy(report),
    machineLine(report),
    'The measurements of a table take turns, so other work of the machine affects all of them. A value is the median of the ' +
      'rounds, and a ratio is the median of the ratios of single rounds. Load generator, servers and instances share one ' +
      'machine: compare the numbers of one run with each other, not with those of another machine.',
    LIMITS_EXPLAINED,
    ...(bars.length > 0 ? ['## Bars', barsTable(bars, markdownTable)] : []),
    ...parts.flatMap(({ tables, notes }) => [
      ...tables.flatMap((table) => [
        `## ${table.title}`,
        `![${table.title}](${chartOf(table)})`,
        writeTable(table, markdownTable),
      ]),
      ...(notes.length > 0 ? [notes.map((note) => `- ${note}`).join('\n')] : []),
    ]),
    '',
  ].join('\n\n');
}
