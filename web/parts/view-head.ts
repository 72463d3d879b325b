import { type VNode } from 'preact';
import { useEffect } from 'preact/hooks';
import { html } from './markup.js';

export interface ViewHeadProps {
  readonly title: string;
  readonly lead?: string | undefined;
  /** The link to the parent view. */
  readonly back?: { readonly href: string; readonly text: string };
}

/** The heading of a view, and the title of the window. */
export function ViewHead({ title, lead, back }: ViewHeadProps): VNode {
  useEffect(() => {
    document.title = `${title} · Lockstock`;
  }, [title]);
  return html`
    <div class="view-head">
      ${back && html`<p class="back"><a href=${back.href}>← ${back.text}</a></p>`}
      <h1>${title}</h1>
      ${lead && html`<p class="lead">${lead}</p>`}
    </div>
  `;
}
