import { type VNode } from 'preact';
import { type Step } from '../../src/contract/evidence.js';
import { useTexts } from '../state/language.js';
import { Code } from './code.js';
import { html, part } from './markup.js';

export interface StepCardProps {
  readonly step: Step;
  /** The name of an actor. */
  readonly name: (actor: string) => string;
}

/** One step in full: what happened, when, and at which line of code. */
export function StepCard({ step, name }: StepCardProps): VNode {
  const t = useTexts().experiments;
  const { kind, actor, to, text, atMs, source } = step;
  return html`
    <div class="step-card" role="status">
      <p class="labels">
        <span class="badge kind-${kind}">${t.stepKinds[kind]}</span>
        <span>${to === undefined ? name(actor) : t.to(name(actor), name(to))}</span>
        ${atMs === undefined ? null : html`<span class="quiet">${t.at(Math.round(atMs))}</span>`}
      </p>
      <p class="step-text" lang="en">${text}</p>
      ${
        source
          ? html`
              <p class="path">${source.symbol === undefined ? source.file : `${source.file} · ${source.symbol}`}</p>
              ${part(Code, { path: source.file, text: source.code, label: t.code, wrap: true })}
            `
          : html`<p class="quiet">${t.noCode}</p>`
      }
    </div>
  `;
}
