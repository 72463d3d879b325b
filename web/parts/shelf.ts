import { type VNode } from 'preact';
import { type Lane } from '../display/lanes.js';
import { toneOf } from '../display/tones.js';
import { useTexts } from '../state/language.js';
import { Icon } from './icon.js';
import { html, part } from './markup.js';

export interface ShelfProps {
  readonly side: 'without' | 'with';
  readonly stock: number;
  readonly lane: Lane | undefined;
}

/** At most this many squares are drawn. */
const MOST_DRAWN = 300;

/** One square for each item in stock; below them, one for each item that was sold without stock. */
export function Shelf({ side, stock, lane }: ShelfProps): VNode {
  const texts = useTexts();
  const t = texts.home;
  const { result, samples } = lane ?? { result: undefined, samples: [] };
  const sold = result?.audit.sold ?? samples.at(-1)?.sold ?? 0;
  const left = result?.audit.remaining ?? samples.at(-1)?.stock ?? stock;
  const extra = Math.max(0, sold - stock);
  const verdict = result?.verdict;
  const tone = verdict ? toneOf(verdict) : 'calm';
  return html`
    <article class="shelf ${tone}" data-verdict=${verdict}>
      <h2>${side === 'without' ? t.without : t.with}</h2>
      <p class="quiet">${side === 'without' ? t.withoutIdea : t.withIdea}</p>
      <p class="tally"><strong>${texts.number(sold)}</strong> ${t.sold} <span class="quiet">${t.inStock(stock)}</span></p>
      <div class="items" role="img" aria-label=${t.shelf(stock, sold)}>
        ${Array.from({ length: stock }, (_, index) => html`<i class=${index < sold ? 'gone' : ''}></i>`)}
      </div>
      ${
        extra > 0 &&
        html`<div class="items extra" aria-hidden="true">
          ${Array.from({ length: Math.min(extra, MOST_DRAWN) }, () => html`<i></i>`)}
        </div>`
      }
      <div class="outcome" role="status">
        ${
          verdict
            ? html`
                <p class="verdict-word">${part(Icon, { name: tone })}<span>${texts.verdicts[verdict]}</span></p>
                <p>${extra > 0 ? `${t.tooMany(extra)} ${t.rowSays(left)}` : verdict === 'SAFE' ? t.exact(sold) : texts.meanings[verdict]}</p>
              `
            : html`<p class="quiet">${lane ? (samples.length > 0 ? t.pressing : t.queued) : t.waiting}</p>`
        }
      </div>
    </article>
  `;
}
