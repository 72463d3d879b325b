import { type VNode } from 'preact';
import { useEffect, useMemo, useRef } from 'preact/hooks';
import uPlot from 'uplot';
import { type Series } from '../display/chart-series.js';
import { useTexts } from '../state/language.js';
import { useStore } from '../state/store.js';
import { colour, shade } from '../state/theme.js';
import { html } from './markup.js';

export interface ChartProps {
  readonly title: string;
  readonly hint?: string | undefined;
  readonly series: readonly Series[];
  /** Draws a line at zero. */
  readonly zero?: boolean;
}

const HEIGHT = 220;
const FONT = '12px system-ui, sans-serif';

/** Lines over the seconds since the start. */
export function Chart({ title, hint, series, zero = false }: ChartProps): VNode {
  const t = useTexts();
  const now = useStore(shade);
  const box = useRef<HTMLDivElement>(null);
  const plot = useRef<uPlot | null>(null);
  const data = useMemo(() => join(series), [series]);
  const shape = series.map(({ label, token, dash }) => [label, token, ...(dash ?? [])].join()).join('|');

  useEffect(() => {
    const home = box.current;
    if (!home) return undefined;
    const made = new uPlot(options(series, home.clientWidth, zero), data, home);
    plot.current = made;
    const watcher = new ResizeObserver(() => {
      if (home.clientWidth > 0) made.setSize({ width: home.clientWidth, height: HEIGHT });
    });
    watcher.observe(home);
    return () => {
      watcher.disconnect();
      made.destroy();
      plot.current = null;
    };
  }, [shape, now, zero]);
  useEffect(() => {
    plot.current?.setData(data);
  }, [data]);

  const said = series
    .map(({ label, points }) => `${label} ${t.number(round(points.at(-1)?.[1] ?? 0))}`)
    .join(', ');
  return html`
    <figure class="chart">
      <figcaption><strong>${title}</strong>${hint && html`<span class="quiet">${hint}</span>`}</figcaption>
      <div class="plot" ref=${box} role="img" aria-label=${t.run.charts.summary(title, said)}></div>
    </figure>
  `;
}

const round = (value: number) => Math.round(value * 10) / 10;

/** uPlot wants one list of x for all series. */
function join(series: readonly Series[]): uPlot.AlignedData {
  const tables = series.map(({ points }): uPlot.AlignedData => [
    points.map(([x]) => x),
    points.map(([, y]) => y),
  ]);
  return tables.length === 0 ? [[], []] : uPlot.join(tables);
}

function options(series: readonly Series[], width: number, zero: boolean): uPlot.Options {
  const axis = { stroke: colour('quiet'), font: FONT, ticks: { show: false }, gap: 6 };
  const grid = { stroke: colour('edge'), width: 1 };
  return {
    width: Math.max(width, 1),
    height: HEIGHT,
    padding: [10, 12, 0, 0],
    legend: { show: false },
    cursor: { y: false, points: { size: 7 }, drag: { x: false, y: false } },
    scales: {
      x: { time: false, range: (_plot, _min, max) => [0, Math.max(max, 1)] },
      y: { range: (_plot, min, max) => span(min, max) },
    },
    axes: [
      {
        ...axis,
        grid: { show: false },
        size: 28,
        values: (_plot, ticks) => ticks.map((tick) => `${tick} s`),
      },
      { ...axis, grid, size: 52, values: (_plot, ticks) => ticks.map(short) },
    ],
    series: [
      {},
      ...series.map(({ label, token, dash }) => ({
        label,
        stroke: colour(token),
        width: 2,
        spanGaps: true,
        points: { show: false },
        ...(dash && { dash: [...dash] }),
      })),
    ],
    hooks: zero ? { drawAxes: [drawZero] } : {},
  };
}

/** The range of the y axis: from zero, with some space above, and below zero only if there are such values. */
function span(min: number, max: number): [number, number] {
  const top = Math.max(max, 1);
  const bottom = Math.min(min, 0);
  return [bottom * 1.05, top + (top - bottom) * 0.05];
}

const short = (value: number) =>
  Math.abs(value) >= 10_000 ? `${Math.round(value / 1000)}k` : String(Math.round(value * 100) / 100);

function drawZero(plot: uPlot): void {
  const y = Math.round(plot.valToPos(0, 'y', true));
  const { left, width, top, height } = plot.bbox;
  const { ctx } = plot;
  ctx.save();
  // The area below zero shows units that were sold without stock.
  if (y < top + height) {
    ctx.fillStyle = colour('bad-ground');
    ctx.fillRect(left, y, width, top + height - y);
  }
  ctx.fillStyle = colour('quiet');
  ctx.fillRect(left, y, width, 1);
  ctx.restore();
}
