import { type VNode } from 'preact';
import { type Tone } from '../display/tones.js';
import { html } from './markup.js';

const PATHS = {
  good: 'M8 1.2a6.8 6.8 0 1 0 0 13.6A6.8 6.8 0 0 0 8 1.2Zm3.4 5.2-4 4.6a.9.9 0 0 1-1.3 0L4.4 9.2l1.2-1.2 1.2 1.2 3.4-3.9Z',
  bad: 'M5.2 1.2h5.6l4 4v5.6l-4 4H5.2l-4-4V5.2Zm.9 3.6L4.8 6.1 6.7 8 4.8 9.9l1.3 1.3L8 9.3l1.9 1.9 1.3-1.3L9.3 8l1.9-1.9-1.3-1.3L8 6.7Z',
  warn: 'M8 1.4 15.2 14H.8Zm-.9 4.3.3 4.1h1.2l.3-4.1Zm.9 4.9a.9.9 0 1 0 0 1.8.9.9 0 0 0 0-1.8Z',
  calm: 'M8 1.2a6.8 6.8 0 1 0 0 13.6A6.8 6.8 0 0 0 8 1.2ZM5.6 5h1.7v6H5.6Zm3.1 0h1.7v6H8.7Z',
  sun: 'M8 4.6a3.4 3.4 0 1 0 0 6.8 3.4 3.4 0 0 0 0-6.8ZM7.3.8h1.4v2H7.3Zm0 12.4h1.4v2H7.3ZM.8 7.3h2v1.4h-2Zm12.4 0h2v1.4h-2ZM2.4 3.4l1-1 1.4 1.4-1 1Zm8.8 8.8 1-1 1.4 1.4-1 1ZM2.4 12.6l1.4-1.4 1 1-1.4 1.4Zm8.8-8.8 1.4-1.4 1 1-1.4 1.4Z',
  moon: 'M6.2 1.6A6.6 6.6 0 1 0 14.4 10 5.6 5.6 0 0 1 6.2 1.6Z',
  screen: 'M1.4 2.4h13.2v8.8H9.2l.5 1.6h1.5V14H4.8v-1.2h1.5l.5-1.6H1.4Zm1.4 1.4v6h10.4v-6Z',
  play: 'M4 2.2 13.4 8 4 13.8Z',
  stop: 'M3.4 3.4h9.2v9.2H3.4Z',
  pause: 'M4 2.8h2.8v10.4H4Zm5.2 0H12v10.4H9.2Z',
  first: 'M3 3h1.8v10H3Zm10.2 0v10L5.6 8Z',
  previous: 'M11.4 2.6v10.8L4 8Z',
  next: 'M4.6 2.6v10.8L12 8Z',
  last: 'M11.2 3H13v10h-1.8ZM2.8 3v10l7.6-5Z',
  search:
    'M6.8 1.6a5.2 5.2 0 1 0 3.1 9.4l3.3 3.3 1.1-1.1-3.3-3.3a5.2 5.2 0 0 0-4.2-8.3Zm0 1.6a3.6 3.6 0 1 1 0 7.2 3.6 3.6 0 0 1 0-7.2Z',
  close: 'm3.6 2.4 4.4 4.4 4.4-4.4 1.2 1.2L9.2 8l4.4 4.4-1.2 1.2L8 9.2l-4.4 4.4-1.2-1.2L6.8 8 2.4 3.6Z',
  bolt: 'M9.4.8 3 9h4l-1.2 6.2L13 6.6H8.6Z',
} as const satisfies Record<Tone, string> & Record<string, string>;

/** An icon next to a text with the same meaning, so screen readers skip it. */
export function Icon({ name }: { readonly name: keyof typeof PATHS }): VNode {
  return html`<svg class="icon" viewBox="0 0 16 16" aria-hidden="true"><path fill-rule="evenodd" d=${PATHS[name]} /></svg>`;
}
