import { type VNode } from 'preact';
import { type StrategyListing } from '../../src/contract/strategy.js';
import { listExperiments } from '../client/experiments.js';
import { useTexts } from '../state/language.js';
import { address } from '../state/route.js';
import { useLoaded } from '../state/use-loaded.js';
import { VerdictBadge } from './badges.js';
import { pending } from './loaded.js';
import { html, part } from './markup.js';

/** The experiments of a strategy. */
export function StrategyExperiments({ strategy }: { readonly strategy: StrategyListing }): VNode {
  const { name } = strategy;
  const t = useTexts();
  const loaded = useLoaded(async (signal) => {
    const all = await listExperiments(signal).catch(() => []);
    return all.filter((experiment) => experiment.strategy === name);
  }, name);
  const list = loaded.value?.map(
    ({ id, title, last }) => html`
      <li>
        <a href=${address('experiments', id)}>${withoutEnd(title, [strategy.title, name])}</a>
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

/** Many titles end with the name of the strategy, which is redundant on its own page. */
function withoutEnd(title: string, ends: readonly string[]): string {
  const end = ends.find((each) => title.endsWith(`: ${each}`));
  return end === undefined ? title : title.slice(0, -end.length - 2);
}
