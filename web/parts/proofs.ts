import { type VNode } from 'preact';
import { html, part } from '../core/markup.js';
import { useTexts } from '../core/language.js';
import { type Proof } from '../client/experiments.js';
import { Icon } from './icon.js';

/** That the fault happened at all. */
export function Proofs({ proofs }: { readonly proofs: readonly Proof[] }): VNode {
  const t = useTexts().experiments;
  const items = proofs.map(
    ({ what, seen, ok }) => html`
      <li class=${ok ? 'good' : 'bad'}>
        ${part(Icon, { name: ok ? 'good' : 'bad' })}
        <span lang="en"><strong>${what}</strong> <span class="unseen">${ok ? t.yes : t.no}</span><span class="quiet">${seen}</span></span>
      </li>
    `,
  );
  return html`
    <section class="block">
      <h2>${t.proofs}</h2>
      ${items.length > 0 ? html`<ul class="invariants">${items}</ul>` : html`<p class="quiet">${t.noProofs}</p>`}
    </section>
  `;
}
