import { type VNode } from 'preact';
import { type StrategyListing } from '../../src/contract/strategy.js';
import { costsOf, useWhenOf } from '../display/strategy-texts.js';
import { useTexts } from '../state/language.js';
import { address } from '../state/route.js';
import { GuaranteeBadge, LossBadge } from './badges.js';
import { Icon } from './icon.js';
import { html, part } from './markup.js';

export function StrategyFacts({ strategy }: { readonly strategy: StrategyListing }): VNode {
  const t = useTexts();
  const { name, safe, stock, available, needs, baskets, family } = strategy;
  return html`
    <div class="facts">
      <p class="labels">
        <code>${name}</code>
        ${part(GuaranteeBadge, { safe })}${part(LossBadge, { strategy })}
        <span class="badge">${t.families[family]}</span>
        <span class="badge">${t.catalogue.stockIn[stock]}</span>
        ${baskets && html`<span class="badge">${t.catalogue.baskets}</span>`}
        <span class="state ${available ? 'up' : 'down'}">
          <i></i>${available ? t.catalogue.available : t.catalogue.unavailable(needs.join(', '))}
        </span>
      </p>
      <a class="button primary" href=${address('run', undefined, { strategies: name })}>
        ${part(Icon, { name: 'play' })}${t.catalogue.run}
      </a>
    </div>
    <p class="quiet measure">${t.guaranteeMeanings[safe]}</p>
    <dl class="advice measure">
      ${advice(t.catalogue.useWhen, useWhenOf(t, strategy))}${advice(t.catalogue.costs, costsOf(t, strategy))}
    </dl>
  `;
}

const advice = (term: string, text: string | undefined) =>
  text === undefined ? '' : html`<div><dt>${term}</dt><dd>${text}</dd></div>`;
