import { type VNode } from 'preact';
import { useMemo } from 'preact/hooks';
import { languageOf, tokenizeLines } from '../display/highlight.js';
import { html } from './markup.js';

export interface CodeProps {
  readonly path: string;
  readonly text: string;
  readonly label: string;
  /** The number of the first line. */
  readonly from?: number;
  /** The number of the marked line. */
  readonly marked?: number | undefined;
  readonly wrap?: boolean;
}

/** Source code with line numbers. It can be focused, so that it can be scrolled with the keyboard. */
export function Code({ path, text, label, from = 1, marked, wrap = false }: CodeProps): VNode {
  const lines = useMemo(() => tokenizeLines(text, languageOf(path)), [path, text]);
  const drawn = lines.map(
    (tokens, index) => html`
      <span class="line ${from + index === marked ? 'marked' : ''}" data-line=${from + index}>
        ${tokens.map(({ kind, text: piece }) =>
          kind === 'plain' ? piece : html`<span class="t-${kind}">${piece}</span>`,
        )}${'\n'}
      </span>
    `,
  );
  return html`
    <pre class="code ${wrap ? 'wrap' : ''}" tabindex="0" role="region" aria-label=${label} translate="no"><code>${drawn}</code></pre>
  `;
}
