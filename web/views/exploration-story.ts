import { type VNode } from 'preact';
import { type Counterexample, type ExplorationRecord } from '../../src/contract/exploration.js';
import { readExploration } from '../client/explorations.js';
import { toneOf } from '../display/tones.js';
import { Icon } from '../parts/icon.js';
import { pending } from '../parts/loaded.js';
import { html, part } from '../parts/markup.js';
import { Story } from '../parts/story.js';
import { EXPLORED } from '../parts/strategy-explorations.js';
import { ViewHead } from '../parts/view-head.js';
import { useTexts } from '../state/language.js';
import { address, amend } from '../state/route.js';
import { useLoaded } from '../state/use-loaded.js';

export interface ExplorationStoryProps {
  readonly id: string;
  readonly query: URLSearchParams;
}

/** The shortest schedule that breaks a strategy, as the explorer recorded it. */
export function ExplorationStory({ id, query }: ExplorationStoryProps): VNode {
  const { explorations: t, verdicts } = useTexts();
  const loaded = useLoaded((signal) => readExploration(id, signal), id);
  const { value } = loaded;
  if (!value) return html`${part(ViewHead, { title: t.title })}${pending(loaded)}`;
  const { strategy, fault, schedules, counterexample } = value;
  const back = { href: address('strategies', strategy), text: strategy };
  return html`
    ${part(ViewHead, { title: `${strategy}: ${t.faults[fault] ?? fault}`, lead: t.covered(schedules), back })}
    ${counterexample ? told(value, counterexample) : html`<p>${t.safe(schedules)}</p>`}
  `;

  function told(record: ExplorationRecord, found: Counterexample): VNode {
    const { verdict, why, schedule, switches, actors, steps } = found;
    const tone = toneOf(verdict);
    const faults = record.fault === 'none' ? '' : ` --faults ${record.fault}`;
    const onStep = (step: string) => {
      amend(address('experiments', `${EXPLORED}${id}`, { step }));
    };
    return html`
      <article class="verdict-panel story-verdict ${tone}" data-verdict=${verdict}>
        <p class="verdict-word">${part(Icon, { name: tone })}<span>${verdicts[verdict]}</span></p>
        <p class="verdict-sentence" lang="en">${why}</p>
        <p class="quiet">${t.switches(switches)}</p>
      </article>
      ${part(Story, { key: id, actors, steps, query, following: false, onStep })}
      <section class="block">
        <h2>${t.replay}</h2>
        <pre class="code wrap" tabindex="0" translate="no"><code>npx lockstock explore ${record.strategy}${faults} --schedule "${schedule}"</code></pre>
      </section>
    `;
  }
}
