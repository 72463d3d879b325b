import { UsageError } from '../errors.js';
import { ratio, whole } from '../report/numbers.js';
import { type Column, textTable } from '../report/text-table.js';
import { type BenchMachine, type BenchReport, type Point } from './report.js';
import { summary } from './statistics.js';

interface Pair {
  readonly table: string;
  readonly name: string;
  readonly before: Point;
  readonly after: Point;
}

const RIGHT = { align: 'right' } as const;
const COLUMNS: readonly Column<Pair>[] = [
  { title: 'table', cell: ({ table }) => table },
  { title: 'measured', cell: ({ name }) => name },
  { ...RIGHT, title: 'before', cell: ({ before }) => whole(summary(before.rounds).median) },
  { ...RIGHT, title: 'after', cell: ({ after }) => whole(summary(after.rounds).median) },
  { ...RIGHT, title: 'after / before', cell: change },
  { title: '', cell: (pair) => (isApart(pair) ? '' : 'within the spread') },
];

/** Two runs on one machine, point by point. Runs of different machines are refused: their difference says nothing about the code. */
export function compareRuns(before: BenchReport, after: BenchReport): string {
  requireSameMachine(before.machine, after.machine);
  const pairs = before.parts.flatMap(({ tables }) =>
    tables.flatMap(({ title, points }) => points.flatMap((point) => pairOf(title, point, after))),
  );
  if (pairs.length === 0) throw new UsageError('The two runs have no measurement in common.');
  return [...remarks(before, after), textTable(COLUMNS, pairs)].join('\n');
}

function requireSameMachine(before: BenchMachine, after: BenchMachine): void {
  if (before.id === after.id) return;
  const words = ({ id, cores, cpu, memoryGib }: BenchMachine) =>
    `${id} (${cores} × ${cpu}, ${memoryGib} GiB)`;
  throw new UsageError(
    `The runs were made on different machines: ${words(before)} and ${words(after)}. ` +
      'Their numbers cannot be compared. Run both versions on one machine.',
  );
}

function remarks(before: BenchReport, after: BenchReport): string[] {
  const versions = (['node', 'database', 'redis', 'nginx'] as const)
    .filter((name) => before.machine[name] !== after.machine[name])
    .map((name) => `${name} ${before.machine[name]} and ${after.machine[name]}`);
  return [
    ...(versions.length > 0 ? [`Different versions: ${versions.join('; ')}.`] : []),
    ...(before.command === after.command
      ? []
      : [`Different options: \`${before.command}\` and \`${after.command}\`.`]),
    ...([before, after].some(({ quick }) => quick) ? ['A quick run says little about speed.'] : []),
  ];
}

function pairOf(table: string, before: Point, { parts }: BenchReport): Pair[] {
  const points = parts.flatMap(({ tables }) =>
    tables.filter(({ title }) => title === table).flatMap((one) => one.points),
  );
  const after = points.find(({ name, x }) => name === before.name && x === before.x);
  const name = before.x === undefined ? before.name : `${before.name}, ${before.x}`;
  return after ? [{ table, name, before, after }] : [];
}

function change({ before, after }: Pair): string {
  const base = summary(before.rounds).median;
  return base > 0 ? ratio(summary(after.rounds).median / base) : '';
}

/** Whether no round of one run is as fast as any round of the other. */
function isApart({ before, after }: Pair): boolean {
  const [a, b] = [summary(before.rounds), summary(after.rounds)];
  return a.least > b.most || b.least > a.most;
}
