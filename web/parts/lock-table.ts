import { type VNode } from 'preact';
import { type HeldLock } from '../../src/contract/lab-system.js';
import { useTexts } from '../state/language.js';
import { html } from './markup.js';

export function LockTable({ locks }: { readonly locks: readonly HeldLock[] }): VNode {
  const texts = useTexts();
  const t = texts.system;
  if (locks.length === 0) return html`<p class="empty">${t.noLocks}</p>`;
  const rows = locks.map(
    ({ kind, key, owner, token, ttlMs, waiters }) => html`
      <tr>
        <td>${kind}</td>
        <td><code>${key}</code></td>
        <td><code>${owner}</code></td>
        <td>${token ?? t.none}</td>
        <td>${ttlMs === null ? t.none : texts.run.ms(ttlMs)}</td>
        <td>${waiters === null ? t.none : texts.number(waiters)}</td>
      </tr>
    `,
  );
  return html`
    <div class="scroll" tabindex="0" role="region" aria-label=${t.locks}>
      <table>
        <thead>
          <tr>${[t.lockKind, t.key, t.owner, t.token, t.ttl, t.waiters].map((name) => html`<th scope="col">${name}</th>`)}</tr>
        </thead>
        <tbody>${rows}</tbody>
      </table>
    </div>
  `;
}
