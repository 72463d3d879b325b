import { type VNode } from 'preact';
import { type ExperimentView } from '../../src/contract/lab-experiments.js';
import { useTexts } from '../state/language.js';
import { address } from '../state/route.js';
import { VerdictBadge } from './badges.js';
import { html, part } from './markup.js';

export function ExperimentList({ experiments }: { readonly experiments: readonly ExperimentView[] }): VNode {
  const t = useTexts();
  const items = experiments.map(
    ({ id, title, strategy, last }) => html`
      <li>
        <a href=${address('experiments', id)}>${title}</a>
        <code>${strategy}</code>
        ${
          last
            ? html`${part(VerdictBadge, { verdict: last.verdict })}${!last.ok && html`<strong class="complaint">${t.experiments.notAsExpected}</strong>`}`
            : html`<span class="quiet">${t.catalogue.never}</span>`
        }
      </li>
    `,
  );
  return items.length > 0
    ? html`<ul class="links experiments">${items}</ul>`
    : html`<p class="empty">${t.experiments.empty}</p>`;
}
