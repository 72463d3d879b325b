import { type VNode } from 'preact';
import { html } from './markup.js';

export interface Share {
  readonly name: string;
  readonly count: number;
  /** A class of run.css that has its colour. */
  readonly kind: string;
}

export interface StackedBarProps {
  readonly shares: readonly Share[];
  /** What a full bar stands for. */
  readonly full: number;
}

/** Counts beside each other in one bar. The numbers stand below it as text: the bar itself need not be read. */
export function StackedBar({ shares, full }: StackedBarProps): VNode {
  const parts = shares
    .filter(({ count }) => count > 0)
    .map(
      ({ count, kind, name }) => html`
        <span class=${kind} title="${name}: ${count}" style=${{ width: `${(100 * count) / Math.max(full, 1)}%` }}></span>
      `,
    );
  return html`<div class="stacked-bar" aria-hidden="true">${parts}</div>`;
}
