import { type VNode } from 'preact';
import { OUTCOMES, type Outcomes } from '../../src/contract/lab-runs.js';
import { type Lane } from '../display/lanes.js';
import { useTexts } from '../state/language.js';
import { html, part } from './markup.js';
import { StackedBar } from './stacked-bar.js';

const NOTHING: Outcomes = { sold: 0, soldOut: 0, refused: 0, unknown: 0 };

/** The answers that buyers got. */
export function OutcomeBars({ lanes }: { readonly lanes: readonly Lane[] }): VNode {
  const t = useTexts();
  const rows = lanes.map(({ label, requests, samples, result, hue }) => {
    const outcomes = result?.outcomes ?? samples.at(-1)?.outcomes ?? NOTHING;
    const shares = OUTCOMES.map((kind) => ({
      name: t.run.outcomes[kind],
      count: outcomes[kind],
      kind: `outcome-${kind}`,
    }));
    return html`
      <div class="bar-row">
        <p class="lane-name hue-${hue}"><i></i>${label}</p>
        ${part(StackedBar, { shares, full: requests })}
        <dl class="counts">
          ${shares.map(
            ({ name, count, kind }) => html`
              <div><dt><i class=${kind}></i>${name}</dt><dd>${t.number(count)}</dd></div>
            `,
          )}
        </dl>
      </div>
    `;
  });
  return html`
    <figure class="chart">
      <figcaption><strong>${t.run.charts.outcomes}</strong></figcaption>
      ${rows}
    </figure>
  `;
}
