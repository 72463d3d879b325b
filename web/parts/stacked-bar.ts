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
  /** The count of a full bar. */
  readonly full: number;
}

/** Several counts in one bar. The numbers are also shown as text, so screen readers skip the bar. */
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
