import { type VNode } from 'preact';
import { useTexts } from '../core/language.js';
import { html, part } from '../core/markup.js';
import { address } from '../core/route.js';
import { lessonOf, titleOf } from '../core/strategy-texts.js';
import { listStrategies } from '../client/strategies.js';
import { Breaks } from '../parts/breaks.js';
import { LessonView } from '../parts/lesson-view.js';
import { pending, useLoaded } from '../parts/loaded.js';
import { StrategyExperiments } from '../parts/strategy-experiments.js';
import { StrategyFacts } from '../parts/strategy-facts.js';
import { StrategyRuns } from '../parts/strategy-runs.js';
import { ViewHead } from '../parts/view-head.js';

/** One strategy: its idea, its source, what it sends, what breaks it, and what came of it. */
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
      <div class="narrow">${part(Breaks, { strategy })}${part(StrategyExperiments, { strategy })}${part(StrategyRuns, { name })}</div>
    </div>
  `;
}
