import { type VNode } from 'preact';
import { useTexts } from '../core/language.js';
import { html, part } from '../core/markup.js';
import { faultOf } from '../core/strategy-texts.js';
import { type Strategy } from '../client/strategies.js';
import { Icon } from './icon.js';

/** The faults under which a strategy sells what is not there, or loses what is. */
export function Breaks({ strategy }: { readonly strategy: Strategy }): VNode {
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
