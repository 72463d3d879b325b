import { type VNode } from 'preact';
import { type Step, type StoredState } from '../../src/contract/evidence.js';
import { useTexts } from '../state/language.js';
import { Code } from './code.js';
import { html, part } from './markup.js';
import { StoredStateTable } from './stored-state.js';

export interface StepCardProps {
  readonly step: Step;
  readonly state: StoredState | undefined;
  readonly before: StoredState | undefined;
  /** The name of an actor. */
  readonly name: (actor: string) => string;
}

/** One step in full: what was sent and returned, from which line, and what is stored afterwards. */
export function StepCard({ step, state, before, name }: StepCardProps): VNode {
  const t = useTexts().experiments;
  const { kind, actor, to, text, answer, atMs, source } = step;
  return html`
    <div class="step-card" role="status">
      <p class="labels">
        <span class="badge kind-${kind}">${t.stepKinds[kind]}</span>
        <span>${to === undefined ? name(actor) : t.to(name(actor), name(to))}</span>
        ${atMs === undefined ? null : html`<span class="quiet">${t.at(Math.round(atMs))}</span>`}
      </p>
      <p class="step-text ${kind === 'query' || kind === 'reply' ? 'command' : ''}" lang="en">${text}</p>
      ${
        answer !== undefined &&
        html`<p class="step-answer"><span class="quiet">${t.returned}</span> <strong lang="en">${answer}</strong></p>`
      }
      ${kind === 'query' && answer === undefined && html`<p class="step-answer quiet">${t.noAnswer}</p>`}
      ${state && part(StoredStateTable, { state, before, name })}
      ${
        source &&
        html`
          <div>
            <p class="path">${source.symbol === undefined ? source.file : `${source.file} · ${source.symbol}`}</p>
            ${part(Code, { path: source.file, text: source.code, label: t.code, wrap: true })}
          </div>
        `
      }
    </div>
  `;
}
