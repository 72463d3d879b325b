import { type VNode } from 'preact';
import { listStrategies } from '../client/strategies.js';
import { lessonOf, titleOf } from '../display/strategy-texts.js';
import { Breaks } from '../parts/breaks.js';
import { LessonView } from '../parts/lesson-view.js';
import { pending } from '../parts/loaded.js';
import { html, part } from '../parts/markup.js';
import { StrategyExplorations } from '../parts/strategy-explorations.js';
import { StrategyExperiments } from '../parts/strategy-experiments.js';
import { StrategyFacts } from '../parts/strategy-facts.js';
import { StrategyRuns } from '../parts/strategy-runs.js';
import { ViewHead } from '../parts/view-head.js';
import { useTexts } from '../state/language.js';
import { address } from '../state/route.js';
import { useLoaded } from '../state/use-loaded.js';

/** One strategy: its idea, source code, transcript, faults, experiments and runs. */
export function StrategyView({ name }: { readonly name: string }): VNode {
  const t = useTexts();
  const loaded = useLoaded(listStrategies);
  const back = { href: address('strategies'), text: t.catalogue.back };
  const strategy = loaded.value?.find((one) => one.name === name);
  if (!loaded.value) return html`${part(ViewHead, { title: name, back })}${pending(loaded)}`;
  if (!strategy) return part(ViewHead, { title: t.catalogue.unknown(name), back });
  return html`
    ${part(ViewHead, { title: titleOf(t, strategy), lead: lessonOf(t, strategy), back })}
    ${part(StrategyFacts, { strategy })}
    <div class="columns">
      <div class="wide">${part(LessonView, { name })}</div>
      <div class="narrow">${part(Breaks, { strategy })}${part(StrategyExplorations, { name })}${part(StrategyExperiments, { strategy })}${part(StrategyRuns, { name })}</div>
    </div>
  `;
}
