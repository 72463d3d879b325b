import { type VNode } from 'preact';
import { useTexts } from '../core/language.js';
import { html, part } from '../core/markup.js';
import { address } from '../core/route.js';
import { listExperiments } from '../client/experiments.js';
import { VerdictBadge } from './badges.js';
import { pending, useLoaded } from './loaded.js';

/** The experiments that a strategy is put to. */
export function StrategyExperiments({ name }: { readonly name: string }): VNode {
  const t = useTexts();
  const loaded = useLoaded(async (signal) => {
    const all = await listExperiments(signal).catch(() => []);
    return all.filter(({ strategy }) => strategy === name);
  }, name);
  const list = loaded.value?.map(
    ({ id, title, last }) => html`
      <li>
        <a href=${address('experiments', id)}>${title}</a>
        ${last ? part(VerdictBadge, { verdict: last.verdict }) : html`<span class="quiet">${t.catalogue.never}</span>`}
      </li>
    `,
  );
  return html`
    <section class="block">
      <h2>${t.catalogue.experiments}</h2>
      ${pending(loaded) ?? (list?.length ? html`<ul class="links">${list}</ul>` : html`<p class="quiet">${t.catalogue.noExperiments}</p>`)}
    </section>
  `;
}
