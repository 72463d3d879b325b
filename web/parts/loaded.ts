import { type VNode } from 'preact';
import { Failure } from '../client/http.js';
import { failureText } from '../display/failure-text.js';
import { connection } from '../state/connection.js';
import { useTexts } from '../state/language.js';
import { useStore } from '../state/store.js';
import { type Loaded } from '../state/use-loaded.js';
import { Icon } from './icon.js';
import { html, part } from './markup.js';
import { Prose } from './prose.js';

export function Loading({ text }: { readonly text?: string }): VNode {
  const t = useTexts();
  return html`<p class="loading" role="status"><span class="spinner"></span>${text ?? t.shell.loading}</p>`;
}

export interface TroubleProps {
  readonly error: unknown;
  readonly again?: (() => void) | undefined;
}

/** An error as a sentence, with a button to try again. */
export function Trouble({ error, again }: TroubleProps): VNode {
  const t = useTexts();
  const { state } = useStore(connection);
  // A deployment without the lab is not an error.
  const absent = state === 'absent' && error instanceof Failure && error.status === 404;
  const text = absent ? t.lab.absentText : failureText(t, error);
  return html`
    <div class="trouble ${absent ? 'calm' : 'bad'}" role="alert">
      ${part(Icon, { name: absent ? 'calm' : 'warn' })}
      <p>${part(Prose, { text })}</p>
      ${again && html`<button class="small" onClick=${again}>${t.shell.tryAgain}</button>`}
    </div>
  `;
}

/** What is shown while a value is loading, or when loading failed. */
export function pending<T>({ value, error, again }: Loaded<T>): VNode | undefined {
  if (value !== undefined) return undefined;
  return error === undefined ? part(Loading, {}) : part(Trouble, { error, again });
}
