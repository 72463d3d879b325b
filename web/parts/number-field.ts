import { type VNode } from 'preact';
import { useTexts } from '../state/language.js';
import { html } from './markup.js';

export interface NumberFieldProps {
  readonly label: string;
  readonly min: number;
  readonly max: number;
  readonly value: number;
  readonly onValue: (value: number) => void;
}

/** A field for a whole number. The browser checks the limits when the form is submitted. */
export function NumberField({ label, min, max, value, onValue }: NumberFieldProps): VNode {
  const t = useTexts();
  return html`
    <label class="field">
      <span>${label}</span>
      <input
        type="number"
        inputmode="numeric"
        min=${min}
        max=${max}
        step="1"
        required
        title=${t.run.range(min, max)}
        value=${value}
        onInput=${({ currentTarget }: { readonly currentTarget: HTMLInputElement }) => {
          if (!Number.isNaN(currentTarget.valueAsNumber)) onValue(currentTarget.valueAsNumber);
        }}
      />
    </label>
  `;
}
