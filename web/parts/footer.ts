import { type VNode } from 'preact';
import { html } from '../core/markup.js';
import { useTexts } from '../core/language.js';

export function Footer(): VNode {
  const t = useTexts();
  return html`
    <footer class="bottom">
      <p>${t.shell.footer}</p>
      <p><a href="/docs">${t.shell.api}</a></p>
    </footer>
  `;
}
