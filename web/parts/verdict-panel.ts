import { type VNode } from 'preact';
import { type LoadResult } from '../../src/contract/lab-runs.js';
import { answersIn, type Lane } from '../display/lanes.js';
import { toneOf } from '../display/tones.js';
import { useTexts } from '../state/language.js';
import { address } from '../state/route.js';
import { Icon } from './icon.js';
import { html, part } from './markup.js';

export interface VerdictPanelProps {
  readonly lane: Lane;
  /** Whether the run is still in progress. */
  readonly running: boolean;
}

/** The verdict on one strategy, or its progress while it runs. */
export function VerdictPanel({ lane, running }: VerdictPanelProps): VNode {
  const t = useTexts();
  const { label, strategy, hue, result, samples } = lane;
  const tone = result ? toneOf(result.verdict) : 'calm';
  return html`
    <article class="verdict-panel ${tone}" data-strategy=${strategy} data-verdict=${result?.verdict}>
      <h2 class="lane-name hue-${hue}"><i></i><a href=${address('strategies', strategy)}>${label}</a></h2>
      ${result ? judged(result) : underWay()}
    </article>
  `;

  function judged({ verdict, oversoldBy, audit, outcomes, kept }: LoadResult): VNode {
    const { sold, remaining: left, initial: stock } = audit;
    const { refused, unknown } = outcomes;
    const sentences = [
      t.run.explain[verdict](sold, stock, left),
      ...(kept ? [] : [t.run.brokenPromise]),
      ...(refused > 0 ? [t.run.refused(refused)] : []),
      ...(unknown > 0 ? [t.run.unknown(unknown)] : []),
    ];
    return html`
      <p class="verdict-word">${part(Icon, { name: tone })}<span>${t.verdicts[verdict]}</span></p>
      <p class="verdict-number">
        ${oversoldBy > 0 ? html`<strong>+${t.number(oversoldBy)}</strong> ${t.run.tooManySold}` : t.run.soldOf(sold, stock)}
      </p>
      <p class="verdict-sentence">${sentences.join(' ')}</p>
    `;
  }

  function underWay(): VNode {
    const last = samples.at(-1);
    if (!last)
      return html`<p class="verdict-word waiting">${running ? t.run.waitingTurn : t.run.notReached}</p>`;
    return html`
      <p class="verdict-word waiting">${t.run.selling}</p>
      <p class="verdict-number">${t.run.soldOf(last.sold, lane.stock)}</p>
      <progress max=${lane.requests} value=${answersIn(last)} aria-label=${t.run.selling}></progress>
    `;
  }
}
