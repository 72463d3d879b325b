import { type VNode } from 'preact';
import { type ProcessView } from '../../src/contract/lab-system.js';
import { useTexts } from '../state/language.js';
import { html } from './markup.js';

export interface ProcessListProps {
  readonly title: string;
  readonly processes: readonly ProcessView[];
}

export function ProcessList({ title, processes }: ProcessListProps): VNode {
  const t = useTexts().system;
  const items = processes.map(
    ({ name, pid, state, restarts }) => html`
      <li class="process ${state}">
        <span class="state ${state}"><i></i>${t.states[state]}</span>
        <strong>${name}</strong>
        <span class="quiet">${t.pid(pid)}, ${t.restarts(restarts)}</span>
      </li>
    `,
  );
  return html`
    <section class="block">
      <h2>${title}</h2>
      <ul class="processes">${items}</ul>
    </section>
  `;
}
