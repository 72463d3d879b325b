import { type VNode } from 'preact';
import { useMemo, useState } from 'preact/hooks';
import { useTexts } from '../state/language.js';
import { type Texts } from '../texts/en.js';
import { html, part } from './markup.js';
import { Sequence } from './sequence.js';
import { Stepper } from './stepper.js';

/** How overselling happens, in seven steps, without a server. */
export function LastItemStory(): VNode {
  const t = useTexts().home;
  const [at, setAt] = useState(0);
  const { actors, steps } = useMemo(() => scene(t.story), [t]);
  return html`
    <section class="block why">
      <div>
        <h2>${t.whyTitle}</h2>
        <p class="quiet">${t.whyLead}</p>
        ${part(Stepper, { at, count: steps.length, onStep: setAt })}
      </div>
      ${part(Sequence, { actors, steps, at, onStep: setAt })}
      <p class="moral ${at === steps.length - 1 ? 'shown' : ''}">${t.story.moral}</p>
    </section>
  `;
}

function scene(t: Texts['home']['story']) {
  const actors = [
    { id: 'a', kind: 'instance', label: t.shopA },
    { id: 'db', kind: 'mysql', label: t.database },
    { id: 'b', kind: 'instance', label: t.shopB },
  ] as const;
  const steps = [
    { actor: 'a', to: 'db', kind: 'query', text: t.ask },
    { actor: 'db', to: 'a', kind: 'answer', text: t.one },
    { actor: 'b', to: 'db', kind: 'query', text: t.ask },
    { actor: 'db', to: 'b', kind: 'answer', text: t.stillOne },
    { actor: 'a', to: 'db', kind: 'query', text: t.write },
    { actor: 'b', to: 'db', kind: 'fault', text: t.writeToo },
    { actor: 'db', kind: 'note', text: t.end },
  ] as const;
  return { actors, steps };
}
