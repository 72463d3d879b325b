import { milliseconds, whole } from '../report/numbers.js';
import { type ComparedStrategy } from './comparison.js';
import { html, type Markup } from '../report/markup.js';

/*
 * Every row is a separate SVG that fills the available width. Names and numbers are text of the page, so that they stay
 * readable on a narrow screen.
 */

/** One strategy: its results with each number of instances. */
export interface ChartRow {
  readonly strategy: string;
  readonly results: readonly ComparedStrategy[];
}

const WIDTH = 1000;
const BAR = 10;
const GAP = 3;

/** The strategies, sorted by their speed with the largest number of instances. */
export function chartRows(results: readonly ComparedStrategy[]): ChartRow[] {
  const names = [...new Set(results.map(({ strategy }) => strategy))];
  const fastest = ({ results: of }: ChartRow) => of.at(-1)?.throughput ?? 0;
  return names
    .map((strategy) => ({
      strategy,
      results: results
        .filter((result) => result.strategy === strategy)
        .sort((a, b) => a.instances - b.instances),
    }))
    .sort((a, b) => fastest(b) - fastest(a));
}

/** A bar for each number of instances, from zero. */
export function throughputChart(rows: readonly ChartRow[]): Markup {
  const most = Math.max(...rows.flatMap(({ results }) => results.map(({ throughput }) => throughput)), 1);
  return html`<div class="chart">
    ${rows.map(({ strategy, results }) => {
      const height = results.length * (BAR + GAP) - GAP;
      const bars = results.map(
        ({ throughput }, index) =>
          html`<rect
            class="series-${index}"
            x="0"
            y="${index * (BAR + GAP)}"
            height="${BAR}"
            width="${Math.max(2, (WIDTH * throughput) / most).toFixed(1)}"
          />`,
      );
      const label = results
        .map(({ instances, throughput }) => `${whole(throughput)} with ${instances}`)
        .join(', ');
      return row(
        { strategy, results },
        html`<svg
          viewBox="0 0 ${WIDTH} ${height}"
          preserveAspectRatio="none"
          role="img"
          aria-label="${strategy}: sales per second: ${label}"
          style="height: ${height * 1.1}px"
        >
          ${bars}
        </svg>`,
        results.map(({ throughput }) => whole(throughput)),
      );
    })}
  </div>`;
}

/** From p50 to p99 on a logarithmic scale, a mark at p95. */
export function latencyChart(rows: readonly ChartRow[]): Markup {
  const all = rows
    .flatMap(({ results }) => results.flatMap(({ p50, p99 }) => [p50, p99]))
    .filter((ms) => ms > 0);
  const from = 10 ** Math.floor(Math.log10(Math.min(...all, 1000)));
  const to = 10 ** Math.ceil(Math.log10(Math.max(...all, from * 10)));
  const at = (ms: number) => (WIDTH * Math.log10(Math.max(ms, from) / from)) / Math.log10(to / from);
  const decades = Array.from(
    { length: Math.round(Math.log10(to / from)) + 1 },
    (_, power) => from * 10 ** power,
  );
  return html`<div class="chart">
    ${rows.map(({ strategy, results }) => {
      const height = results.length * (BAR + GAP) - GAP;
      const grid = decades.map(
        (ms) => html`<line class="grid" x1="${at(ms)}" x2="${at(ms)}" y1="0" y2="${height}" />`,
      );
      const ranges = results.map(({ p50, p95, p99 }, index) => {
        const y = index * (BAR + GAP);
        const x = at(p50);
        return html`<rect
            class="series-${index} range"
            x="${x.toFixed(1)}"
            y="${y + 2}"
            height="${BAR - 4}"
            width="${Math.max(3, at(p99) - x).toFixed(1)}"
          />
          <rect class="series-${index}" x="${(x - 3).toFixed(1)}" y="${y}" height="${BAR}" width="6" />
          <rect
            class="series-${index}"
            x="${(at(p95) - 2).toFixed(1)}"
            y="${y + 1}"
            height="${BAR - 2}"
            width="4"
          />`;
      });
      const label = results
        .map(({ instances, p50, p95, p99 }) => `with ${instances}: p50 ${p50}, p95 ${p95}, p99 ${p99}`)
        .join('; ');
      return row(
        { strategy, results },
        html`<svg
          viewBox="0 0 ${WIDTH} ${height}"
          preserveAspectRatio="none"
          role="img"
          aria-label="${strategy}: milliseconds ${label}"
          style="height: ${height * 1.1}px"
        >
          ${grid}${ranges}
        </svg>`,
        results.map(({ p50, p99 }) => `${milliseconds(p50)} – ${milliseconds(p99)}`),
      );
    })}
    <div class="axis" aria-hidden="true">
      <span></span
      ><span class="ticks"
        >${decades.map(
          (ms) =>
            html`<i style="left: ${(at(ms) / WIDTH) * 100}%"
              >${ms >= 1000 ? `${ms / 1000} s` : `${ms} ms`}</i
            >`,
        )}</span
      ><span></span>
    </div>
  </div>`;
}

export function legend(instances: readonly number[]): Markup {
  return html`<p class="legend">
    ${instances.map(
      (count, index) =>
        html`<span
          ><b class="swatch series-${index}"></b>${count === 1 ? 'one instance' : `${count} instances`}</span
        >`,
    )}
  </p>`;
}

function row({ strategy, results }: ChartRow, drawing: Markup, values: readonly string[]): Markup {
  const unsafe = results.some(({ verdict }) => verdict !== 'SAFE');
  return html`<div class="row">
    <span class="name"
      >${strategy}${unsafe ? html` <b class="bad" title="not safe under this load">✗</b>` : undefined}</span
    >
    ${drawing}
    <span class="values">${values.map((value) => html`<span>${value}</span>`)}</span>
  </div>`;
}
