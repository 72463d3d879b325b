import { type VNode } from 'preact';
import { type ExplorationResult } from '../../src/contract/exploration.js';
import { listExplorations } from '../client/explorations.js';
import { useTexts } from '../state/language.js';
import { address } from '../state/route.js';
import { useLoaded } from '../state/use-loaded.js';
import { html, part } from './markup.js';

/** The address of a recorded exploration: a story like those of the experiments. */
export const EXPLORED = 'explored-';

/** What the explorer found about a strategy. */
export function StrategyExplorations({ name }: { readonly name: string }): VNode | null {
  const t = useTexts().explorations;
  const loaded = useLoaded(async (signal) => {
    const all = await listExplorations(signal).catch(() => []);
    return all.filter(({ strategy }) => strategy === name);
  }, name);
  const found = loaded.value ?? [];
  if (found.length === 0) return null;
  return html`
    <section class="block">
      <h2>${t.title}</h2>
      <p class="quiet">${t.hint}</p>
      <ul class="links">${found.map((result) => html`<li>${part(Result, { result })}</li>`)}</ul>
    </section>
  `;
}

function Result({ result }: { readonly result: ExplorationResult }): VNode {
  const t = useTexts().explorations;
  const { id, fault, schedules, broken } = result;
  const text = t.faults[fault] ?? fault;
  return html`
    ${broken ? html`<a href=${address('experiments', `${EXPLORED}${id}`)}>${text}</a>` : html`<span>${text}</span>`}
    <span class="badge ${broken ? 'bad' : 'good'}">${broken ? t.broken : t.safe(schedules)}</span>
    <span class="quiet">${t.covered(schedules)}</span>
  `;
}
