import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Bar, judge } from '../../src/lab/bench/bars.js';
import { chart } from '../../src/lab/bench/chart.js';
import { compareRuns } from '../../src/lab/bench/compare-runs.js';
import { readReport, writeReport } from '../../src/lab/bench/files.js';
import { limitedBy } from '../../src/lab/bench/limits.js';
import { type BenchOptions, readOptions } from '../../src/lab/bench/options.js';
import { type BenchReport, type PartReport, type Point } from '../../src/lab/bench/report.js';
import { growthPerHour, median, ratios, summary } from '../../src/lab/bench/statistics.js';
import { type BenchStep, takeTurns } from '../../src/lab/bench/turns.js';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'lockstock-bench-test-'));
});
afterAll(() => {
  rmSync(folder, { recursive: true });
});

describe('statistics', () => {
  test.each<[number[], number]>([
    [[3, 1, 2], 2],
    [[4, 1, 2, 3], 2.5],
    [[10, 9], 9.5],
    [[], 0],
  ])('the median of %j is %d', (values, expected) => {
    expect(median(values)).toBe(expected);
  });

  test('the summary has the least and the largest round', () => {
    expect(summary([5, 30, 20])).toEqual({ median: 20, least: 5, most: 30 });
  });

  test('ratios are taken round by round, and only where both rounds exist', () => {
    expect(ratios([10, 40, 7], [5, 10])).toEqual([2, 4]);
    expect(ratios([10], [0])).toEqual([]);
  });
});

describe('what limits a measurement', () => {
  test.each<[number, number, string]>([
    [0.99, 1, 'generator'],
    [0.5, 0.95, 'cpu'],
    [0.5, 0.5, 'waiting'],
  ])('loop %d, machine %d: %s', (generatorLoop, machineCpu, expected) => {
    expect(limitedBy({ generatorLoop, generatorCpu: 0.5, machineCpu })).toBe(expected);
  });
});

const point = (name: string, rounds: number[], more: Partial<Point> = {}): Point => ({
  name,
  rounds,
  ...more,
});
const part = (points: Point[]): PartReport => ({
  ...{ name: 'http', notes: [] },
  tables: [{ title: 'table', unit: 'per second', points }],
});
const bar: Bar = {
  ...{ name: 'fast / slow', part: 'http', table: 'table', measure: 'throughput', goal: 2 },
  ...{ over: { names: ['fast'] }, under: { names: /^slow/ } },
};

test('the growth of memory is that of the second half', () => {
  const start = [50, 80, 95].map((mib, minute) => ({ minute, mib }));
  const steady = [100, 101, 102, 103].map((mib, index) => ({ minute: 3 + index, mib }));
  expect(growthPerHour([...start, ...steady])).toBeCloseTo(60);
  expect(growthPerHour(steady.map(({ minute }) => ({ minute, mib: 100 })))).toBe(0);
  expect(growthPerHour(steady.slice(0, 1))).toBe(0);
});

describe('bars', () => {
  const only = (points: Point[], tested = bar) => judge([part(points)], [tested])[0];

  test('a bar is met at its goal and missed below it', () => {
    expect(only([point('fast', [20, 30]), point('slow', [10, 15])])).toMatchObject({ ratio: 2, met: true });
    expect(only([point('fast', [19, 29]), point('slow', [10, 15])])).toMatchObject({ met: false });
  });

  test('it is compared with the best of several', () => {
    const result = only([point('fast', [30]), point('slow 1', [10]), point('slow 2', [20])]);
    expect(result).toMatchObject({ comparedWith: 'slow 2', ratio: 1.5, met: false });
  });

  test('a waiting time must be below its goal, and the best is the shortest', () => {
    const waiting: Bar = { ...bar, measure: 'p99', goal: 0.1 };
    const points = (p99: number) => [
      point('fast', [1], { p99: [p99] }),
      point('slow 1', [1], { p99: [100] }),
      point('slow 2', [1], { p99: [50] }),
    ];
    expect(only(points(5), waiting)).toMatchObject({ comparedWith: 'slow 2', ratio: 0.1, met: true });
    expect(only(points(6), waiting)).toMatchObject({ met: false });
  });

  test('a bar without measurements is not met', () => {
    expect(only([point('fast', [30])])).toMatchObject({ met: false });
    expect(only([point('fast', []), point('slow', [1])])).not.toHaveProperty('ratio');
  });

  test('a bar of a part that was not chosen is not judged', () => {
    expect(judge([{ ...part([]), name: 'soak' }], [bar])).toEqual([]);
  });
});

describe('turns', () => {
  test('every second round is reversed, and the warm-up does not count', async () => {
    const order: string[] = [];
    const step = (name: string): BenchStep => ({
      name,
      measure: () => {
        order.push(name);
        return Promise.resolve({ value: order.length, facts: { count: order.length } });
      },
    });
    const turns = {
      rounds: 2,
      seconds: 1,
      warmUp: true,
      stop: new AbortController().signal,
      onStep: () => undefined,
    };
    const points = await takeTurns([step('a'), step('b')], turns);
    expect(order.join('')).toBe('baabba');
    expect(points.map(({ rounds, facts }) => [rounds, facts])).toEqual([
      [[3, 6], { count: 4.5 }],
      [[4, 5], { count: 4.5 }],
    ]);
  });

  test('an interrupted measurement does not count, and nothing is measured after it', async () => {
    const stop = new AbortController();
    const whole: BenchStep = { name: 'whole', measure: () => Promise.resolve({ value: 1 }) };
    const cut: BenchStep = {
      name: 'cut',
      measure: () => {
        stop.abort();
        return Promise.resolve(undefined);
      },
    };
    const turns = { rounds: 3, seconds: 1, warmUp: false, stop: stop.signal, onStep: () => undefined };
    expect(await takeTurns([whole, cut, { ...whole, name: 'after' }], turns)).toMatchObject([
      { name: 'whole', rounds: [1] },
    ]);
  });
});

const report = (id: string, points: Point[]): BenchReport => ({
  ...{ format: 1, command: 'npx lockstock bench', startedAt: '2026-01-01T00:00:00.000Z', durationMs: 1 },
  ...{ complete: true, quick: false, parts: [part(points)], bars: [] },
  machine: {
    ...{ id, cpu: 'CPU', cores: 2, memoryGib: 8, node: '20', database: 'MariaDB 10', redis: '7' },
    ...{ nginx: '1', loadAverageBefore: 0 },
  },
});

describe('comparing two runs', () => {
  test('runs of different machines are refused', () => {
    expect(() => compareRuns(report('a', [point('x', [1])]), report('b', [point('x', [1])]))).toThrow(
      /different machines: a .* and b .*Run both versions on one machine/,
    );
  });

  test('the ratio is shown, and whether it is more than the spread', () => {
    const before = report('a', [point('x', [10, 12]), point('y', [10, 20])]);
    const after = report('a', [point('x', [24, 22]), point('y', [15, 18])]);
    const lines = compareRuns(before, after).split('\n');
    expect(lines.find((line) => line.includes(' x '))).toMatch(/11\s+23\s+2\.09$/);
    expect(lines.find((line) => line.includes(' y '))).toMatch(/1\.10\s+within the spread$/);
  });

  test('what is written can be read; another file is refused', () => {
    const written = report('a', [point('x', [1], { x: 5 })]);
    const [json = ''] = writeReport(written, { out: folder, json: undefined });
    expect(readReport(json)).toEqual(written);
    const other = join(folder, 'other.json');
    writeFileSync(other, '{"format":1}');
    expect(() => readReport(other)).toThrow('is not a report of `lockstock bench`');
    expect(() => readReport(join(folder, 'none.json'))).toThrow('cannot be read');
  });
});

test('a chart has a mark for every point', () => {
  const points = [1, 2].flatMap((x) => ['a', 'b<'].map((name) => point(name, [x * 10, x * 12], { x })));
  const drawn = chart({ title: 'curve', unit: 'per second', axis: 'x', points });
  expect(drawn.match(/<circle/g)).toHaveLength(4);
  expect(drawn).not.toContain('b<');
  expect(drawn).not.toContain('NaN');
  expect(chart({ title: 'bars', unit: 'ms', points: [point('a', [1])] }).match(/<rect x/g)).toHaveLength(1);
});

test('options: the soak is measured only when it is named, and a quick run is short', () => {
  const read = (...args: string[]) => readOptions([...args, '--out', folder]);
  expect(read()).toMatchObject({ seconds: undefined, buyers: 32, rounds: undefined, check: false });
  expect((read() as BenchOptions).parts).not.toContain('soak');
  expect(read('--only', 'soak,http', '--minutes', '3')).toMatchObject({
    parts: ['http', 'soak'],
    minutes: 3,
  });
  expect(read('--quick')).toMatchObject({ minutes: 1, quick: true });
});
