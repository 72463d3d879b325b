import { type VNode } from 'preact';
import { html } from './markup.js';

/** A sentence in which backticks enclose code, as in Markdown. */
export function Prose({ text }: { readonly text: string }): VNode {
  const pieces = text.split('`');
  return html`${pieces.map((piece, index) => (index % 2 === 1 ? html`<code>${piece}</code>` : piece))}`;
}
