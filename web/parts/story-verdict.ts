import { type VNode } from 'preact';
import { type Evidence } from '../../src/contract/evidence.js';
import { toneOf } from '../display/tones.js';
import { useTexts } from '../state/language.js';
import { Icon } from './icon.js';
import { html, part } from './markup.js';

/** The result of an experiment, and whether it was expected. */
export function StoryVerdict({ evidence }: { readonly evidence: Evidence }): VNode {
  const t = useTexts();
  const { verdict, expected, ok, why, audit } = evidence;
  const tone = toneOf(verdict);
  const expectation =
    expected === 'breaks' || expected === 'holds'
      ? t.experiments.expectations[expected]
      : t.verdicts[expected];
  return html`
    <article class="verdict-panel story-verdict ${tone}" data-verdict=${verdict}>
      <p class="verdict-word">${part(Icon, { name: tone })}<span>${t.verdicts[verdict]}</span></p>
      <p class="verdict-number">${t.run.soldOf(audit.sold, audit.initial)}</p>
      <p class="verdict-sentence" lang="en">${why}</p>
      <p class="quiet">
        ${ok ? t.experiments.asExpected : `${t.experiments.notAsExpected}: ${expectation}`}
      </p>
    </article>
  `;
}
