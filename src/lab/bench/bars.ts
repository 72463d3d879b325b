import { type PartName, type PartReport, type Point } from './report.js';
import { median, ratios, rounded } from './statistics.js';

/** Titles of the tables that bars refer to. */
export const HOT_ROW = 'One hot row';
export const UNCONTENDED = 'One lock, one caller';
export const CONTENDED = {
  1: 'One hot lock, one process',
  3: 'One hot lock, three processes',
} as const;

/** Points that are compared: the best of those with one of these names. */
interface Points {
  readonly names: readonly string[] | RegExp;
  readonly x?: number;
}

/** A ratio that a run should reach. Docs: docs/performance.md. */
export interface Bar {
  readonly name: string;
  readonly part: PartName;
  readonly table: string;
  readonly over: Points;
  readonly under: Points;
  /** Throughput, where more is better, or the p99 of the waiting time, where less is better. */
  readonly measure: 'throughput' | 'p99';
  readonly goal: number;
  /** The ratio is multiplied by it. */
  readonly factor?: number;
}

export interface BarResult {
  readonly name: string;
  readonly goal: string;
  /** The median of the ratios of all rounds; absent when something was not measured. */
  readonly ratio?: number;
  /** Ratios of the single rounds. */
  readonly rounds: readonly number[];
  /** The point it is compared with, such as the best of several packages. */
  readonly comparedWith?: string;
  readonly met: boolean;
}

const PEERS = /^peer: /;
const POLLING_PEERS = /^peer: (?!node-redisson|simple-redis-mutex)/;
const WAITERS = 50;
/** `for-update` through HTTP, relative to the same statements by mysql2 alone, in the first measured version. */
const FIRST_FOR_UPDATE = 0.39;

const http = (name: string, over: string, under: string, goal: number, factor?: number): Bar => ({
  ...{ name, part: 'http', table: HOT_ROW, measure: 'throughput', goal },
  ...{ over: { names: [over] }, under: { names: [under] }, ...(factor !== undefined && { factor }) },
});

const hotLock = (processes: 1 | 3, lock: string, peers: RegExp, goal: number): Bar => ({
  ...{
    name: `${lock}, ${WAITERS} waiters, ${processes === 1 ? 'one process' : 'three processes'} / best peer`,
  },
  ...{ part: 'locks', table: CONTENDED[processes], measure: 'throughput', goal },
  ...{ over: { names: [lock], x: WAITERS }, under: { names: peers, x: WAITERS } },
});

const hotLockP99 = (processes: 1 | 3): Bar => ({
  ...hotLock(processes, 'RedisLock', PEERS, 0.1),
  ...{ name: `the same, p99 of the waiting time, ${processes === 1 ? 'one process' : 'three processes'}` },
  measure: 'p99',
});

export const BARS: readonly Bar[] = [
  http('batch / for-update', 'batch', 'for-update', 10),
  http('batch / no-op POST', 'batch', 'no-op POST', 0.8),
  http('redis-lua / no-op POST', 'redis-lua', 'no-op POST', 0.8),
  http(
    'stored-procedure / for-update as first measured',
    ...(['stored-procedure', 'mysql2: for-update', 3, 1 / FIRST_FOR_UPDATE] as const),
  ),
  http('sql-atomic / the same statements by mysql2', 'sql-atomic', 'mysql2: sql-atomic', 0.6),
  http('for-update / the same statements by mysql2', 'for-update', 'mysql2: for-update', 0.6),
  http('reentrant / for-update', 'reentrant', 'for-update', 1),
  http('segmented, 5 segments / for-update', 'segmented', 'for-update', 2),
  http('no-op POST / bare Nest + Fastify', 'no-op POST', 'bare no-op POST', 0.8),
  {
    ...{ name: 'RedisLock, no contention / best peer', part: 'locks', table: UNCONTENDED },
    ...{ over: { names: ['RedisLock'] }, under: { names: PEERS }, measure: 'throughput', goal: 1 },
  },
  {
    ...{ name: 'RedisLock, no contention / bare SET NX + Lua', part: 'locks', table: UNCONTENDED },
    ...{
      over: { names: ['RedisLock'] },
      under: { names: ['bare SET NX'] },
      measure: 'throughput',
      goal: 0.9,
    },
  },
  hotLock(1, 'RedisLock', PEERS, 5),
  hotLockP99(1),
  hotLock(3, 'RedisLock', PEERS, 5),
  hotLockP99(3),
  {
    ...hotLock(1, 'FairRedisLock', POLLING_PEERS, 2),
    name: 'FairRedisLock, one process / best polling peer',
  },
  {
    ...hotLock(3, 'FairRedisLock', POLLING_PEERS, 2),
    name: 'FairRedisLock, three processes / best polling peer',
  },
];

/** The bars of the parts that were asked for. A bar without measurements is not met: a check must not pass without them. */
export function judge(parts: readonly PartReport[], bars: readonly Bar[] = BARS): BarResult[] {
  return bars.flatMap((bar) => {
    const part = parts.find(({ name }) => name === bar.part);
    return part ? [resultOf(bar, part)] : [];
  });
}

function resultOf(bar: Bar, { tables }: PartReport): BarResult {
  const { name, measure, factor = 1 } = bar;
  const goal = measure === 'throughput' ? `≥ ${bar.goal}` : `≤ ${bar.goal}`;
  const points = tables.find(({ title }) => title === bar.table)?.points ?? [];
  const over = best(points, bar.over, measure);
  const under = best(points, bar.under, measure);
  const rounds = ratios(valuesOf(over, measure), valuesOf(under, measure)).map((one) =>
    rounded(one * factor),
  );
  if (rounds.length === 0) return { name, goal, rounds, met: false };
  const ratio = rounded(median(rounds));
  return {
    ...{ name, goal, ratio, rounds },
    ...(under && { comparedWith: under.name }),
    met: measure === 'throughput' ? ratio >= bar.goal : ratio <= bar.goal,
  };
}

/** Of several points the one that is hardest to beat. */
function best(points: readonly Point[], { names, x }: Points, measure: Bar['measure']): Point | undefined {
  const isNamed = (name: string) => (names instanceof RegExp ? names.test(name) : names.includes(name));
  const found = points.filter(
    (point) => isNamed(point.name) && point.x === x && valuesOf(point, measure).length > 0,
  );
  const better = (a: number, b: number) => (measure === 'throughput' ? b - a : a - b);
  return found.sort((a, b) => better(median(valuesOf(a, measure)), median(valuesOf(b, measure))))[0];
}

function valuesOf(point: Point | undefined, measure: Bar['measure']): readonly number[] {
  return (measure === 'throughput' ? point?.rounds : point?.p99) ?? [];
}
