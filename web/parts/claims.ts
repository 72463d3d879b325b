import { type VNode } from 'preact';
import { type ShownId } from '../../src/contract/claims.js';
import { useTexts } from '../state/language.js';
import { html } from './markup.js';

/** What an experiment shows: each claim or interleaving with its id and its sentence. */
export function Claims({ ids }: { readonly ids: readonly string[] }): VNode | null {
  const { claims } = useTexts();
  const known = ids.filter((id): id is ShownId => id in claims);
  if (known.length === 0) return null;
  const items = known.map((id) => html`<li><span class="badge">${id}</span><span>${claims[id]}</span></li>`);
  return html`<ul class="claims measure">${items}</ul>`;
}
