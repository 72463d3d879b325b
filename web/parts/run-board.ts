import { type VNode } from 'preact';
import { useMemo } from 'preact/hooks';
import { latencySeries, rateSeries, stockSeries } from '../display/chart-series.js';
import { type Lane } from '../display/lanes.js';
import { useTexts } from '../state/language.js';
import { Chart } from './chart.js';
import { InstanceBars } from './instance-bars.js';
import { Invariants } from './invariants.js';
import { html, part } from './markup.js';
import { OutcomeBars } from './outcome-bars.js';
import { ResultTable } from './result-table.js';
import { VerdictPanel } from './verdict-panel.js';

export interface RunBoardProps {
  readonly lanes: readonly Lane[];
  readonly running: boolean;
}

/** Verdicts, charts and numbers of one or several strategies, on the same axes. */
export function RunBoard({ lanes, running }: RunBoardProps): VNode {
  const t = useTexts();
  const { charts } = t.run;
  const series = useMemo(
    () => ({ stock: stockSeries(lanes, t), rate: rateSeries(lanes), latency: latencySeries(lanes) }),
    [lanes, t],
  );
  const hint = lanes.length === 1 ? charts.latencyOne : charts.latencyHint;
  return html`
    <div class="verdicts" role="status">
      ${lanes.map((lane) => part(VerdictPanel, { key: lane.key, lane, running }))}
    </div>
    <div class="charts">
      ${part(Chart, { title: charts.stock, hint: charts.stockHint, series: series.stock, zero: true })}
      ${part(Chart, { title: charts.rate, series: series.rate })}
      ${part(Chart, { title: charts.latency, hint, series: series.latency })}
      ${part(InstanceBars, { lanes })}
    </div>
    <div class="charts one">${part(OutcomeBars, { lanes })}</div>
    ${part(ResultTable, { lanes })}
    ${part(Invariants, { lanes })}
  `;
}
