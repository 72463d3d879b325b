import { type VNode } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { useTexts } from '../state/language.js';
import { useStore } from '../state/store.js';
import { type TokenQuestion, tokenQuestion } from '../state/token.js';
import { html, part } from './markup.js';
import { Prose } from './prose.js';

/** Asks for the admin token when an action needs it. */
export function TokenDialog(): VNode | null {
  const question = useStore(tokenQuestion);
  return question ? part(Open, { question }) : null;
}

function Open({ question }: { readonly question: TokenQuestion }): VNode {
  const t = useTexts().token;
  const dialog = useRef<HTMLDialogElement>(null);
  const field = useRef<HTMLInputElement>(null);
  useEffect(() => {
    if (dialog.current?.open === false) dialog.current.showModal();
    field.current?.select();
  }, [question]);
  const give = (event: Event) => {
    event.preventDefault();
    const given = field.current?.value.trim();
    if (given) question.answer(given);
  };
  const decline = (event: Event) => {
    event.preventDefault();
    question.answer(undefined);
  };
  return html`
    <dialog ref=${dialog} onCancel=${decline} aria-labelledby="token-title">
      <form onSubmit=${give}>
        <h2 id="token-title">${t.title}</h2>
        <p>${part(Prose, { text: t.why })}</p>
        <label class="field">
          <span>${t.label}</span>
          <input
            ref=${field}
            type="password"
            autocomplete="off"
            spellcheck=${false}
            required
            aria-invalid=${question.wrong}
            aria-describedby="token-complaint"
          />
        </label>
        <p id="token-complaint" class="complaint" role="alert">${question.wrong && t.wrong}</p>
        <p class="buttons">
          <button type="button" onClick=${decline}>${t.cancel}</button>
          <button class="primary">${t.give}</button>
        </p>
      </form>
    </dialog>
  `;
}
