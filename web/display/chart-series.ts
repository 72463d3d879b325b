import { type Sample } from '../../src/contract/lab-runs.js';
import { type Texts } from '../texts/en.js';
import { type Lane } from './lanes.js';

export interface Series {
  readonly label: string;
  /** A colour of tokens.css. */
  readonly token: string;
  readonly dash?: readonly number[];
  readonly points: readonly (readonly [x: number, y: number])[];
}

const DASHES = [5, 4];
const DOTS = [2, 4];
const MS = 1000;

const along = ({ samples }: Lane, value: (sample: Sample) => number) =>
  samples.map((sample) => [sample.t / MS, value(sample)] as const);

/** The stock by the stock row, and the stock by the orders. */
export function stockSeries(lanes: readonly Lane[], t: Texts): Series[] {
  return lanes.flatMap((lane) => {
    const start = [0, lane.stock] as const;
    const token = `hue-${lane.hue}`;
    return [
      { label: lane.label, token, points: [start, ...along(lane, ({ stock }) => stock)] },
      {
        label: `${lane.label}, ${t.run.charts.really}`,
        token,
        dash: DASHES,
        points: [start, ...along(lane, ({ sold }) => lane.stock - sold)],
      },
    ];
  });
}

export function rateSeries(lanes: readonly Lane[]): Series[] {
  return lanes.map((lane) => ({
    label: lane.label,
    token: `hue-${lane.hue}`,
    points: [[0, 0], ...along(lane, ({ soldPerSecond }) => soldPerSecond)],
  }));
}

/** With several strategies only p50 and p99 are drawn: three lines for each would be unreadable. */
export function latencySeries(lanes: readonly Lane[]): Series[] {
  const alone = lanes.length === 1;
  return lanes.flatMap((lane) => {
    const token = `hue-${lane.hue}`;
    return [
      { label: `${lane.label} p50`, token, points: along(lane, ({ p50 }) => p50) },
      ...(alone
        ? [{ label: `${lane.label} p95`, token, dash: DOTS, points: along(lane, ({ p95 }) => p95) }]
        : []),
      { label: `${lane.label} p99`, token, dash: DASHES, points: along(lane, ({ p99 }) => p99) },
    ];
  });
}
