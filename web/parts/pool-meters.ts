import { type VNode } from 'preact';
import { type SystemView } from '../../src/contract/lab-system.js';
import { useTexts } from '../state/language.js';
import { html } from './markup.js';

/** The database connections of each instance. */
export function PoolMeters({ pools }: { readonly pools: SystemView['pools'] }): VNode {
  const t = useTexts().system;
  const items = pools.map(
    ({ instance, limit, inUse, waiting }) => html`
      <li>
        <p><strong>${instance}</strong> <span class="quiet">${t.pool(inUse, limit)}, ${t.waiting(waiting)}</span></p>
        <meter min="0" max=${limit} value=${inUse} aria-label="${instance}: ${t.pool(inUse, limit)}"></meter>
      </li>
    `,
  );
  return items.length > 0 ? html`<ul class="pools">${items}</ul>` : html`<p class="quiet">${t.none}</p>`;
}
