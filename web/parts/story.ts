import { type VNode } from 'preact';
import { type Actor, type Step } from '../../src/contract/evidence.js';
import { useTexts } from '../state/language.js';
import { address, amend } from '../state/route.js';
import { Loading } from './loaded.js';
import { html, part } from './markup.js';
import { Sequence } from './sequence.js';
import { StepCard } from './step-card.js';
import { Stepper } from './stepper.js';

export interface StoryProps {
  readonly id: string;
  readonly actors: readonly Actor[];
  readonly steps: readonly Step[];
  /** The address may name a step. */
  readonly query: URLSearchParams;
  /** Whether the experiment is running: then the newest step is shown. */
  readonly following: boolean;
}

/** The diagram and the current step. */
export function Story({ id, actors, steps, query, following }: StoryProps): VNode {
  const t = useTexts().experiments;
  const chosen = Math.trunc(Number(query.get('step') ?? 1)) - 1 || 0;
  const at = following ? steps.length - 1 : Math.max(0, Math.min(chosen, steps.length - 1));
  const step = steps[at];
  if (!step) return part(Loading, { text: t.preparing });
  const go = (index: number) => {
    if (!following) amend(address('experiments', id, { step: String(index + 1) }));
  };
  const name = (actor: string) => actors.find((one) => one.id === actor)?.label ?? actor;
  return html`
    <section class="block story">
      <h2>${t.story}</h2>
      ${part(Stepper, { at, count: steps.length, onStep: go })}
      <div class="story-columns">
        ${part(Sequence, { actors, steps, at, onStep: go })}
        ${part(StepCard, { step, name })}
      </div>
      <ol class="unseen">
        ${steps.map(({ actor, to, text }) => html`<li>${to === undefined ? name(actor) : t.to(name(actor), name(to))}: ${text}</li>`)}
      </ol>
    </section>
  `;
}
