import { type VNode } from 'preact';
import { type StrategyListing } from '../../src/contract/strategy.js';
import { faultOf } from '../display/strategy-texts.js';
import { useTexts } from '../state/language.js';
import { Icon } from './icon.js';
import { html, part } from './markup.js';

/** The faults under which a strategy oversells, loses stock or sells twice. */
export function Breaks({ strategy }: { readonly strategy: StrategyListing }): VNode {
  const t = useTexts();
  const faults = strategy.breaksUnder;
  return html`
    <section class="block">
      <h2>${t.catalogue.breaks}</h2>
      ${
        faults.length === 0
          ? html`<p class="holds">${part(Icon, { name: 'good' })}${t.catalogue.breaksNothing}</p>`
          : html`<ul class="faults">${faults.map(
              (fault) => html`<li>${part(Icon, { name: 'bolt' })}<span>${faultOf(t, fault)}</span></li>`,
            )}</ul>`
      }
    </section>
  `;
}
