import { type VNode } from 'preact';
import { type Proof } from '../../src/contract/evidence.js';
import { useTexts } from '../state/language.js';
import { Icon } from './icon.js';
import { html, part } from './markup.js';

export interface ProofsProps {
  readonly proofs: readonly Proof[];
  /** Whether the experiment still runs, so that more may follow. */
  readonly pending?: boolean;
}

/** The proofs that the fault happened, and other observations. */
export function Proofs({ proofs, pending = false }: ProofsProps): VNode {
  const t = useTexts().experiments;
  const faults = proofs.filter(({ of }) => of === 'fault');
  const others = proofs.filter(({ of }) => of !== 'fault');
  return html`
    <section class="block">
      <h2>${t.proofs}</h2>
      ${faults.length > 0 ? part(List, { proofs: faults }) : html`<p class="quiet">${pending ? t.proofsPending : t.noProofs}</p>`}
      ${others.length > 0 && html`<h3>${t.otherProofs}</h3>`}
      ${others.length > 0 && part(List, { proofs: others })}
    </section>
  `;
}

function List({ proofs }: { readonly proofs: readonly Proof[] }): VNode {
  const t = useTexts().experiments;
  const items = proofs.map(
    ({ what, seen, ok }) => html`
      <li class=${ok ? 'good' : 'bad'}>
        ${part(Icon, { name: ok ? 'good' : 'bad' })}
        <span lang="en"><strong>${what}</strong> <span class="unseen">${ok ? t.yes : t.no}</span><span class="quiet">${seen}</span></span>
      </li>
    `,
  );
  return html`<ul class="invariants">${items}</ul>`;
}
