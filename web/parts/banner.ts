import { type VNode } from 'preact';
import { failureText } from '../display/failure-text.js';
import { connection } from '../state/connection.js';
import { useTexts } from '../state/language.js';
import { useStore } from '../state/store.js';
import { Icon } from './icon.js';
import { html, part } from './markup.js';
import { Prose } from './prose.js';

/** Shows on every view when a server or the lab is down. It is always in the page, so that screen readers announce changes. */
export function Banner(): VNode {
  const t = useTexts();
  const { state, system, failure } = useStore(connection);
  const away = [...(system?.instances ?? []), ...(system?.engines ?? [])].filter(
    (process) => process.state !== 'up',
  );
  const lost = state === 'lost';
  const text = lost
    ? failure
      ? failureText(t, failure)
      : t.lab.lostBanner
    : away.length > 0
      ? t.lab.downBanner(away.map(({ name }) => name).join(', '))
      : '';
  return html`
    <div class="banner ${lost ? 'bad' : 'warn'}" role="status">
      ${text && html`<p>${part(Icon, { name: 'warn' })}<span>${part(Prose, { text })}</span></p>`}
    </div>
  `;
}
