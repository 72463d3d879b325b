import { type VNode } from 'preact';
import { useCallback, useEffect, useState } from 'preact/hooks';
import { html, part } from '../core/markup.js';
import { useTexts } from '../core/language.js';
import { useStore } from '../core/store.js';
import { Failure } from '../client/http.js';
import { connection } from '../client/system.js';
import { Icon } from './icon.js';

export interface Loaded<T> {
  readonly value: T | undefined;
  readonly error: unknown;
  readonly again: () => void;
}

/** Reads something, and reads it again when `key` changes or the lab comes back. The old value stays until then. */
export function useLoaded<T>(read: (signal: AbortSignal) => Promise<T>, key = ''): Loaded<T> {
  const { epoch } = useStore(connection);
  const [count, setCount] = useState(0);
  const [state, setState] = useState<{ key: string; value: T | undefined; error: unknown }>({
    key,
    value: undefined,
    error: undefined,
  });
  useEffect(() => {
    const leaving = new AbortController();
    read(leaving.signal).then(
      (value) => {
        if (!leaving.signal.aborted) setState({ key, value, error: undefined });
      },
      (error: unknown) => {
        if (!leaving.signal.aborted) setState((before) => ({ ...before, key, error }));
      },
    );
    return () => {
      leaving.abort();
    };
  }, [key, epoch, count]);
  const again = useCallback(() => {
    setCount((times) => times + 1);
  }, []);
  const current = state.key === key;
  return { value: current ? state.value : undefined, error: current ? state.error : undefined, again };
}

export function Loading({ text }: { readonly text?: string }): VNode {
  const t = useTexts();
  return html`<p class="loading" role="status"><span class="spinner"></span>${text ?? t.shell.loading}</p>`;
}

export interface TroubleProps {
  readonly error: unknown;
  readonly again?: (() => void) | undefined;
}

/** What went wrong, as a sentence. */
export function Trouble({ error, again }: TroubleProps): VNode {
  const t = useTexts();
  const { state } = useStore(connection);
  // A lab that is not part of this deployment is no error.
  const absent = state === 'absent' && error instanceof Failure && error.status === 404;
  const text = absent ? t.lab.absentText : error instanceof Error ? error.message : String(error);
  return html`
    <div class="trouble ${absent ? 'calm' : 'bad'}" role="alert">
      ${part(Icon, { name: absent ? 'calm' : 'warn' })}
      <p>${text}</p>
      ${again && html`<button class="small" onClick=${again}>${t.shell.tryAgain}</button>`}
    </div>
  `;
}

/** What stands where something is shown as soon as it is there. */
export function pending<T>({ value, error, again }: Loaded<T>): VNode | undefined {
  if (value !== undefined) return undefined;
  return error === undefined ? part(Loading, {}) : part(Trouble, { error, again });
}
