import { type VNode } from 'preact';
import { listRuns } from '../client/runs.js';
import { useTexts } from '../state/language.js';
import { address } from '../state/route.js';
import { useLoaded } from '../state/use-loaded.js';
import { VerdictBadge } from './badges.js';
import { pending } from './loaded.js';
import { html, part } from './markup.js';

const RUNS_SHOWN = 5;

/** The latest runs of a strategy. */
export function StrategyRuns({ name }: { readonly name: string }): VNode {
  const t = useTexts();
  const loaded = useLoaded((signal) => listRuns(signal).catch(() => []), name);
  const list = loaded.value
    ?.flatMap(({ id, startedAt, results }) =>
      results.filter(({ strategy }) => strategy === name).map((result) => ({ id, startedAt, result })),
    )
    .slice(0, RUNS_SHOWN)
    .map(
      ({ id, startedAt, result }) => html`
        <li>
          <a href=${address('run', id)}>${t.date(startedAt)}</a>
          ${part(VerdictBadge, { verdict: result.verdict, oversoldBy: result.oversoldBy })}
          <span class="quiet">${t.catalogue.perSecond(result.throughput)}</span>
        </li>
      `,
    );
  return html`
    <section class="block">
      <h2>${t.catalogue.history}</h2>
      ${pending(loaded) ?? (list?.length ? html`<ul class="links">${list}</ul>` : html`<p class="quiet">${t.catalogue.noHistory}</p>`)}
    </section>
  `;
}
