import { type VNode } from 'preact';
import { type Evidence } from '../../src/contract/evidence.js';
import { type ExperimentView } from '../../src/contract/lab-experiments.js';
import { faultOf } from '../display/strategy-texts.js';
import { Claims } from '../parts/claims.js';
import { EvidenceDetails } from '../parts/evidence-details.js';
import { Icon } from '../parts/icon.js';
import { pending, Trouble } from '../parts/loaded.js';
import { html, part } from '../parts/markup.js';
import { Proofs } from '../parts/proofs.js';
import { Prose } from '../parts/prose.js';
import { StoryVerdict } from '../parts/story-verdict.js';
import { Story } from '../parts/story.js';
import { ViewHead } from '../parts/view-head.js';
import { useTexts } from '../state/language.js';
import { address, amend } from '../state/route.js';
import { useExperiment } from '../state/use-experiment.js';

export interface ExperimentStoryProps {
  readonly id: string;
  readonly query: URLSearchParams;
}

/** One experiment, with its evidence. */
export function ExperimentStory({ id, query }: ExperimentStoryProps): VNode {
  const t = useTexts().experiments;
  const { loaded, live, failure, run } = useExperiment(id);
  const back = { href: address('experiments'), text: t.back };
  const { experiment, evidence, twin } = loaded.value ?? {};
  if (!experiment) {
    return html`${part(ViewHead, { title: loaded.value ? t.unknown : t.title, back })}${pending(loaded)}`;
  }
  const running = live !== undefined || run.busy;
  return html`
    ${part(ViewHead, { title: experiment.title, back })}
    <div class="facts">
      ${part(About, { experiment, twin })}
      <button
        class="primary"
        disabled=${experiment.needs.length > 0}
        aria-disabled=${running}
        onClick=${running ? undefined : run.start}
      >
        ${part(Icon, { name: 'play' })}${running ? t.running : evidence ? t.runAgain : t.runNow}
      </button>
    </div>
    ${part(Claims, { ids: experiment.claims })}
    ${experiment.needs.map((text) => html`<p class="trouble calm" lang="en">${part(Prose, { text })}</p>`)}
    ${run.error !== undefined && part(Trouble, { error: run.error })}
    ${failure !== undefined && part(Trouble, { error: failure })}
    ${
      live
        ? html`${part(Story, { key: 'live', ...live, query, following: true, onStep: stepOf(id) })}${part(Proofs, { proofs: live.proofs, pending: true })}`
        : evidence
          ? told(evidence, query)
          : html`<div class="empty"><p>${t.never}</p></div>`
    }
  `;
}

/** Writes the step to the address. */
const stepOf = (id: string) => (step: string) => {
  amend(address('experiments', id, { step }));
};

function told(evidence: Evidence, query: URLSearchParams): VNode {
  const { id, actors, steps } = evidence;
  return html`
    ${part(StoryVerdict, { evidence })}
    ${part(Story, { key: id, actors, steps, query, following: false, onStep: stepOf(id) })}
    ${part(EvidenceDetails, { evidence })}
  `;
}

interface AboutProps {
  readonly experiment: ExperimentView;
  readonly twin: ExperimentView | undefined;
}

function About({ experiment, twin }: AboutProps): VNode {
  const t = useTexts();
  const { strategy, fault, twinOf } = experiment;
  return html`
    <p class="labels">
      <a href=${address('strategies', strategy)}><code>${strategy}</code></a>
      <span class="badge">${t.matrixFaults[fault] ?? faultOf(t, fault)}</span>
      ${twin && html`<a href=${address('experiments', twin.id)}>${t.experiments.twin}</a>`}
      ${twinOf !== undefined && html`<a href=${address('experiments', twinOf)}>${t.experiments.original}</a>`}
    </p>
  `;
}
