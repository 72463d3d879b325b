import { type VNode } from 'preact';
import { type Guarantee, type StrategyListing } from '../../src/contract/strategy.js';
import { type Finding } from '../../src/contract/verdict.js';
import { faultOf } from '../display/strategy-texts.js';
import { type Tone, toneOf } from '../display/tones.js';
import { useTexts } from '../state/language.js';
import { Icon } from './icon.js';
import { html, part } from './markup.js';

const TONES: Readonly<Record<Guarantee, Tone>> = {
  always: 'good',
  'while-the-lease-holds': 'warn',
  'one-process': 'warn',
  never: 'bad',
};

export function GuaranteeBadge({ safe }: { readonly safe: Guarantee }): VNode {
  const t = useTexts();
  return html`<span class="badge ${TONES[safe]}" title=${t.guaranteeMeanings[safe]}>${t.guarantees[safe]}</span>`;
}

/** The second promise: a strategy that never oversells may still lose an acknowledged order. */
export function LossBadge({ strategy }: { readonly strategy: StrategyListing }): VNode {
  const t = useTexts();
  const { unless } = strategy.promises.losesNothing;
  const loses = unless.length > 0;
  const meaning = loses
    ? t.losses.someMeaning(unless.map((fault) => faultOf(t, fault)))
    : t.losses.noneMeaning;
  return html`<span class="badge ${loses ? 'warn' : 'good'}" title=${meaning}>${loses ? t.losses.some : t.losses.none}</span>`;
}

export interface VerdictBadgeProps {
  readonly verdict: Finding;
  readonly oversoldBy?: number;
}

/** Colour, shape and text have the same meaning, so that none of them is needed alone. */
export function VerdictBadge({ verdict, oversoldBy = 0 }: VerdictBadgeProps): VNode {
  const t = useTexts();
  const tone = toneOf(verdict);
  const extra = oversoldBy > 0 ? ` +${t.number(oversoldBy)}` : '';
  return html`
    <span class="verdict-badge ${tone}" title=${t.meanings[verdict]}>
      ${part(Icon, { name: tone })}${t.verdicts[verdict]}${extra}
    </span>
  `;
}
