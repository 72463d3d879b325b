import { type VNode } from 'preact';
import { html, part } from '../core/markup.js';
import { useTexts } from '../core/language.js';
import { LETTERS, TONE_OF_LETTER } from '../core/letters.js';
import { Icon } from './icon.js';

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
