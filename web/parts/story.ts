import { type VNode } from 'preact';
import { useMemo, useRef, useState } from 'preact/hooks';
import { type Actor, type Step } from '../../src/contract/evidence.js';
import { unfolded } from '../../src/diagram/folding.js';
import { storedStates } from '../display/stored-states.js';
import { useTexts } from '../state/language.js';
import { Loading } from './loaded.js';
import { html, part } from './markup.js';
import { Sequence } from './sequence.js';
import { StepCard } from './step-card.js';
import { Stepper } from './stepper.js';

export interface StoryProps {
  readonly actors: readonly Actor[];
  readonly steps: readonly Step[];
  /** The address may name a step. */
  readonly query: URLSearchParams;
  /** Whether the story is still going on: then the newest step is shown. */
  readonly following: boolean;
  /** Writes the number of the step, from 1, to the address. */
  readonly onStep: (step: string) => void;
}

/** The diagram and the current step. Housekeeping and repeated retries are folded. */
export function Story({ actors, steps, query, following, onStep }: StoryProps): VNode {
  const t = useTexts().experiments;
  const section = useRef<HTMLElement>(null);
  const [whole, setWhole] = useState(false);
  const { shown, indices, states } = useMemo(() => {
    const kept = whole ? steps.map((_, index) => index) : unfolded(steps);
    const all = storedStates(steps);
    return { shown: kept.flatMap((index) => steps[index] ?? []), indices: kept, states: all };
  }, [steps, whole]);
  const chosen = Math.trunc(Number(query.get('step') ?? 1)) - 1 || 0;
  const at = following ? shown.length - 1 : Math.max(0, Math.min(chosen, shown.length - 1));
  const step = shown[at];
  if (!step) return part(Loading, { text: t.preparing });
  const index = indices[at] ?? 0;
  const go = (next: number) => {
    if (following) return;
    onStep(String(next + 1));
    // The whole story fits the window: the current step is never outside it.
    section.current?.scrollIntoView({ block: 'nearest' });
  };
  const name = (actor: string) => actors.find((one) => one.id === actor)?.label ?? actor;
  const folded = steps.length - unfolded(steps).length;
  return html`
    <section class="block story" ref=${section}>
      <h2>${t.story}</h2>
      ${part(Stepper, { at, count: shown.length, onStep: go })}
      <div class="story-columns">
        ${part(Sequence, { actors, steps: shown, at, onStep: go })}
        ${part(StepCard, { step, state: states[index], before: states[index - 1], name })}
      </div>
      ${
        folded > 0 &&
        html`
          <button
            class="link folded"
            type="button"
            aria-pressed=${whole}
            onClick=${() => {
              setWhole(!whole);
            }}
          >${whole ? t.fold : t.unfold(folded)}</button>
        `
      }
      <ol class="unseen">
        ${shown.map(({ actor, to, text, answer }) => html`<li>${to === undefined ? name(actor) : t.to(name(actor), name(to))}: ${text}${answer === undefined ? '' : ` → ${answer}`}</li>`)}
      </ol>
    </section>
  `;
}
