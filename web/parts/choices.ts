import { type VNode } from 'preact';
import { chooseLanguage, language, type Language, LANGUAGES, useTexts } from '../state/language.js';
import { useStore } from '../state/store.js';
import { chooseTheme, theme, type Theme, THEMES } from '../state/theme.js';
import { Icon } from './icon.js';
import { html, part } from './markup.js';

const ICONS = { system: 'screen', light: 'sun', dark: 'moon' } as const satisfies Record<Theme, string>;
const OTHER: Readonly<Record<Language, Language>> = { en: 'zh', zh: 'en' };

/** The choice of language and theme. */
export function Choices(): VNode {
  const t = useTexts();
  const other = OTHER[useStore(language)];
  const chosen = useStore(theme);
  const next = THEMES[(THEMES.indexOf(chosen) + 1) % THEMES.length] ?? 'system';
  const { name, short, tag } = LANGUAGES[other];
  return html`
    <button class="tool" lang=${tag} title=${name} aria-label=${name} onClick=${() => {
      chooseLanguage(other);
    }}>${short}</button>
    <button
      class="tool"
      title="${t.shell.theme}: ${t.shell.themes[chosen]}"
      aria-label="${t.shell.theme}: ${t.shell.themes[chosen]}"
      onClick=${() => {
        chooseTheme(next);
      }}
    >${part(Icon, { name: ICONS[chosen] })}</button>
  `;
}
