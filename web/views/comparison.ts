import { type VNode } from 'preact';
import { useMemo } from 'preact/hooks';
import { type RunRecord } from '../../src/contract/lab-runs.js';
import { readRun } from '../client/runs.js';
import { type Lane, lanesOf, MAX_LANES } from '../display/lanes.js';
import { pending } from '../parts/loaded.js';
import { html, part } from '../parts/markup.js';
import { RunBoard } from '../parts/run-board.js';
import { ViewHead } from '../parts/view-head.js';
import { useTexts } from '../state/language.js';
import { address } from '../state/route.js';
import { useLoaded } from '../state/use-loaded.js';

/** Results of different runs on the same axes: `?results=run:strategy,run:strategy`. */
export function Comparison({ query }: { readonly query: URLSearchParams }): VNode {
  const t = useTexts();
  const wanted = query.get('results') ?? '';
  const loaded = useLoaded((signal) => readAll(wanted, signal), wanted);
  const lanes = useMemo(
    () =>
      loaded.value?.map(({ run, lane }, index) => ({
        ...lane,
        label: `${lane.strategy} · ${t.date(run.startedAt)}`,
        hue: index + 1,
      })),
    [loaded.value, t],
  );
  return html`
    ${part(ViewHead, {
      title: t.run.compareTitle,
      lead: t.run.compareLead,
      back: { href: address('run'), text: t.run.back },
    })}
    ${pending(loaded) ?? part(RunBoard, { lanes: lanes ?? [], running: false })}
  `;
}

async function readAll(wanted: string, signal: AbortSignal): Promise<{ run: RunRecord; lane: Lane }[]> {
  const keys = wanted
    .split(',')
    .filter((key) => key.includes(':'))
    .slice(0, MAX_LANES);
  const ids = [...new Set(keys.map((key) => key.slice(0, key.lastIndexOf(':'))))];
  const runs = await Promise.all(ids.map((id) => readRun(id, signal)));
  const lanes = runs.flatMap((run) => lanesOf(run).map((lane) => ({ run, lane })));
  return keys.flatMap((key) => lanes.filter(({ lane }) => lane.key === key));
}
