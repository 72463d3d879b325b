import { type VNode } from 'preact';
import { useTexts } from '../state/language.js';
import { address, type Route, VIEWS } from '../state/route.js';
import { Choices } from './choices.js';
import { LabPill } from './lab-pill.js';
import { html, part } from './markup.js';

export function Header({ at }: { readonly at: Route | undefined }): VNode {
  const t = useTexts();
  const links = VIEWS.map(
    (view) => html`
      <a href=${address(view)} aria-current=${at?.view === view ? 'page' : undefined}>${t.views[view]}</a>
    `,
  );
  return html`
    <header class="top">
      <div class="bar">
        <a class="brand" href=${address('home')}>
          <img src="/favicon.svg" alt="" width="26" height="26" /><span>Lockstock</span>
        </a>
        <nav aria-label=${t.shell.navigation}>${links}</nav>
        <div class="tools">${part(LabPill, {})}${part(Choices, {})}</div>
      </div>
    </header>
  `;
}
