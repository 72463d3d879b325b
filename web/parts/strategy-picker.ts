import { type VNode } from 'preact';
import { FAMILIES, type StrategyListing } from '../../src/contract/strategy.js';
import { MAX_LANES } from '../display/lanes.js';
import { titleOf } from '../display/strategy-texts.js';
import { useTexts } from '../state/language.js';
import { Icon } from './icon.js';
import { html, part } from './markup.js';

export interface StrategyPickerProps {
  readonly strategies: readonly StrategyListing[];
  readonly chosen: readonly string[];
  readonly onChange: (chosen: readonly string[]) => void;
}

/** The choice of one to four strategies, in the order in which they run. */
export function StrategyPicker({ strategies, chosen, onChange }: StrategyPickerProps): VNode {
  const t = useTexts();
  const full = chosen.length >= MAX_LANES;
  const add = ({ currentTarget }: { readonly currentTarget: HTMLSelectElement }) => {
    const { value } = currentTarget;
    currentTarget.value = '';
    if (value !== '' && !chosen.includes(value)) onChange([...chosen, value]);
  };
  const groups = FAMILIES.map((family) => {
    const members = strategies.filter((one) => one.family === family && !chosen.includes(one.name));
    const options = members.map(
      (one) =>
        html`<option value=${one.name} disabled=${!one.available}>${one.name} – ${titleOf(t, one)}</option>`,
    );
    return members.length > 0 ? html`<optgroup label=${t.families[family]}>${options}</optgroup>` : '';
  });
  const chips = chosen.map(
    (name, index) => html`
      <li class="picked hue-${index + 1}">
        <i></i><code>${name}</code>
        <button
          type="button"
          aria-label=${t.run.remove(name)}
          title=${t.run.remove(name)}
          onClick=${() => {
            onChange(chosen.filter((one) => one !== name));
          }}
        >${part(Icon, { name: 'close' })}</button>
      </li>
    `,
  );
  return html`
    <fieldset class="picker">
      <legend>${t.run.choose} <span class="quiet">${t.run.chosen(chosen.length)}</span></legend>
      <ul>${chips}</ul>
      <select aria-label=${t.run.add} disabled=${full} onChange=${add}>
        <option value="">${full ? t.run.tooMany : t.run.add}</option>
        ${groups}
      </select>
      ${chosen.length === 0 && html`<p class="complaint" role="alert">${t.run.chooseOne}</p>`}
    </fieldset>
  `;
}
