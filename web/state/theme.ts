import { recall, remember } from './storage.js';
import { Store } from './store.js';

export const THEMES = ['system', 'light', 'dark'] as const;
export type Theme = (typeof THEMES)[number];

const dark = matchMedia('(prefers-color-scheme: dark)');

export const theme = new Store<Theme>(THEMES.find((one) => one === recall('theme')) ?? 'system');
/** The theme that is shown. Charts are redrawn when it changes. */
export const shade = new Store<'light' | 'dark'>('light');

export function chooseTheme(chosen: Theme): void {
  remember('theme', chosen);
  theme.set(chosen);
}

function apply(): void {
  document.documentElement.dataset['theme'] = theme.value;
  shade.set(theme.value === 'system' ? (dark.matches ? 'dark' : 'light') : theme.value);
}
theme.watch(apply);
dark.addEventListener('change', apply);
apply();

/** The current value of a colour of tokens.css, for a canvas. */
export function colour(token: string): string {
  const probe = document.createElement('span');
  probe.style.color = `var(--${token})`;
  document.body.append(probe);
  const found = getComputedStyle(probe).color;
  probe.remove();
  return found;
}
