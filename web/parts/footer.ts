import { type VNode } from 'preact';
import { useTexts } from '../state/language.js';
import { html } from './markup.js';

export function Footer(): VNode {
  const t = useTexts();
  return html`
    <footer class="bottom">
      <p>${t.shell.footer}</p>
      <p><a href="/docs">${t.shell.api}</a></p>
    </footer>
  `;
}
