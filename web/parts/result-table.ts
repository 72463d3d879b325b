import { type VNode } from 'preact';
import { type LoadResult } from '../../src/contract/lab-runs.js';
import { type Lane } from '../display/lanes.js';
import { useTexts } from '../state/language.js';
import { VerdictBadge } from './badges.js';
import { html, part } from './markup.js';

/** The results as numbers. */
export function ResultTable({ lanes }: { readonly lanes: readonly Lane[] }): VNode | null {
  const t = useTexts();
  const judged = lanes.flatMap(({ result, ...lane }) => (result ? [{ ...lane, result }] : []));
  if (judged.length === 0) return null;
  const measures: readonly (readonly [string, (result: LoadResult) => unknown])[] = [
    [t.run.verdict, ({ verdict, oversoldBy }) => part(VerdictBadge, { verdict, oversoldBy })],
    [t.run.throughput, ({ throughput }) => t.number(Math.round(throughput))],
    [t.run.p50, ({ p50 }) => t.run.ms(p50)],
    [t.run.p95, ({ p95 }) => t.run.ms(p95)],
    [t.run.p99, ({ p99 }) => t.run.ms(p99)],
  ];
  return html`
    <section class="block">
      <h2>${t.run.numbers}</h2>
      <div class="scroll" tabindex="0" role="region" aria-label=${t.run.numbers}>
        <table>
          <thead>
            <tr>
              <th scope="col">${t.run.measure}</th>
              ${judged.map(({ label, hue }) => html`<th scope="col"><span class="lane-name hue-${hue}"><i></i>${label}</span></th>`)}
            </tr>
          </thead>
          <tbody>
            ${measures.map(
              ([name, value]) => html`
                <tr><th scope="row">${name}</th>${judged.map(({ result }) => html`<td>${value(result)}</td>`)}</tr>
              `,
            )}
          </tbody>
        </table>
      </div>
    </section>
  `;
}
