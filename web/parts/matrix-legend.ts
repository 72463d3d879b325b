import { type VNode } from 'preact';
import { LETTERS, TONE_OF_LETTER } from '../display/matrix-letters.js';
import { useTexts } from '../state/language.js';
import { Icon } from './icon.js';
import { html, part } from './markup.js';

export function MatrixLegend(): VNode {
  const t = useTexts().experiments;
  const letters = LETTERS.map(
    (letter) => html`
      <li><span class="cell ${TONE_OF_LETTER[letter]}">${part(Icon, { name: TONE_OF_LETTER[letter] })}${letter}</span>${t.letters[letter]}</li>
    `,
  );
  return html`
    <ul class="legend" aria-label=${t.legend}>
      ${letters}
      <li><span class="cell none">·</span>${t.notApplicable}</li>
      <li><span class="cell not-run">?</span>${t.notRun}</li>
    </ul>
  `;
}
