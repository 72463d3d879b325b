import { type VNode } from 'preact';
import { useState } from 'preact/hooks';
import { type ResultSummary, type RunSummary } from '../../src/contract/lab-runs.js';
import { MAX_LANES } from '../display/lanes.js';
import { useTexts } from '../state/language.js';
import { address } from '../state/route.js';
import { VerdictBadge } from './badges.js';
import { html, part } from './markup.js';

/** The earlier runs, newest first. Their results can be selected for a comparison. */
export function RunHistory({ runs }: { readonly runs: readonly RunSummary[] }): VNode {
  const t = useTexts();
  const [chosen, setChosen] = useState<readonly string[]>([]);
  if (runs.length === 0) return html`<p class="empty">${t.run.noHistory}</p>`;
  const toggle = (key: string) => {
    setChosen((before) =>
      before.includes(key) ? before.filter((one) => one !== key) : [...before, key].slice(-MAX_LANES),
    );
  };
  const result = (run: RunSummary, { strategy, verdict, oversoldBy, throughput }: ResultSummary) => {
    const key = `${run.id}:${strategy}`;
    return html`
      <li>
        <label>
          <input
            type="checkbox"
            checked=${chosen.includes(key)}
            aria-label=${t.run.select(strategy, t.date(run.startedAt))}
            onChange=${() => {
              toggle(key);
            }}
          />
          <code>${strategy}</code>
        </label>
        ${part(VerdictBadge, { verdict, oversoldBy })}
        <span class="quiet">${t.catalogue.perSecond(throughput)}</span>
      </li>
    `;
  };
  const rows = runs.map(
    (run) => html`
      <li class="past-run">
        <div>
          <a href=${address('run', run.id)}><time datetime=${run.startedAt}>${t.date(run.startedAt)}</time></a>
          ${run.state !== 'done' && html`<span class="run-state ${run.state}">${t.run.states[run.state]}</span>`}
          <p class="quiet">${t.run.config(run.config.stock, run.config.buyers, run.config.requests, run.config.instances)}</p>
        </div>
        <ul>${run.results.map((one) => result(run, one))}</ul>
      </li>
    `,
  );
  return html`
    <div class="history-head">
      <p class="quiet">${t.run.historyHint}</p>
      ${
        chosen.length >= 2
          ? html`<a class="button primary" href=${address('run', 'compare', { results: chosen.join(',') })}>${t.run.compareChosen(chosen.length)}</a>`
          : html`<span class="button" aria-disabled="true">${t.run.compare}</span>`
      }
    </div>
    <ul class="history">${rows}</ul>
  `;
}
