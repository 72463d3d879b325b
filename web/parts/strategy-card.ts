import { type VNode } from 'preact';
import { html, part } from '../core/markup.js';
import { useTexts } from '../core/language.js';
import { address } from '../core/route.js';
import { lessonOf, titleOf } from '../core/strategy-texts.js';
import { type Result } from '../lab/runs.js';
import { type Strategy } from '../lab/strategies.js';
import { GuaranteeBadge, VerdictBadge } from './badges.js';

export interface StrategyCardProps {
  readonly strategy: Strategy;
  readonly last: Result | undefined;
}

export function StrategyCard({ strategy, last }: StrategyCardProps): VNode {
  const t = useTexts();
  const { name, safe, available, needs } = strategy;
  return html`
    <li class="card">
      <h3><a href=${address('strategies', name)}>${titleOf(t, strategy)}</a></h3>
      <p class="labels"><code>${name}</code>${part(GuaranteeBadge, { safe })}</p>
      <p class="idea">${lessonOf(t, strategy)}</p>
      <p class="state ${available ? 'up' : 'down'}">
        <i></i>${available ? t.catalogue.available : t.catalogue.unavailable(needs.join(', '))}
      </p>
      <p class="last">
        ${
          last
            ? html`
                ${part(VerdictBadge, { verdict: last.verdict, oversoldBy: last.oversoldBy })}
                <span>${t.catalogue.perSecond(last.throughput)}</span>
              `
            : html`<span class="quiet">${t.catalogue.notRunYet}</span>`
        }
      </p>
    </li>
  `;
}
