import { type VNode } from 'preact';
import { type ResultSummary } from '../../src/contract/lab-runs.js';
import { type StrategyListing } from '../../src/contract/strategy.js';
import { lessonOf, titleOf } from '../display/strategy-texts.js';
import { useTexts } from '../state/language.js';
import { address } from '../state/route.js';
import { GuaranteeBadge, LossBadge, VerdictBadge } from './badges.js';
import { html, part } from './markup.js';

export interface StrategyCardProps {
  readonly strategy: StrategyListing;
  readonly last: ResultSummary | undefined;
}

export function StrategyCard({ strategy, last }: StrategyCardProps): VNode {
  const t = useTexts();
  const { name, safe, available, needs } = strategy;
  const engines = available ? t.catalogue.available : t.catalogue.unavailable(needs.join(', '));
  return html`
    <li class="card">
      <h3><a href=${address('strategies', name)}>${titleOf(t, strategy)}</a></h3>
      <p class="labels"><code>${name}</code>${part(GuaranteeBadge, { safe })}${strategy.promises.losesNothing.unless.length > 0 && part(LossBadge, { strategy })}</p>
      <p class="idea">${lessonOf(t, strategy)}</p>
      <p class="last">
        <span class="state ${available ? 'up' : 'down'}" title=${engines}>
          <i></i><span class=${available ? 'unseen' : ''}>${engines}</span>
        </span>
        ${
          last
            ? html`
                ${part(VerdictBadge, { verdict: last.verdict, oversoldBy: last.oversoldBy })}
                <span class="speed">${t.catalogue.perSecond(last.throughput)}</span>
              `
            : html`<span class="quiet">${t.catalogue.notRunYet}</span>`
        }
      </p>
    </li>
  `;
}
