import { type VNode } from 'preact';
import { type Lane } from '../display/lanes.js';
import { useTexts } from '../state/language.js';
import { html } from './markup.js';

/** The answers of each instance. */
export function InstanceBars({ lanes }: { readonly lanes: readonly Lane[] }): VNode {
  const t = useTexts();
  const counted = lanes.map((lane) => ({
    ...lane,
    counts: lane.result?.perInstance ?? lane.samples.at(-1)?.perInstance ?? {},
  }));
  const names = [...new Set(counted.flatMap(({ counts }) => Object.keys(counts)))].sort();
  const most = Math.max(1, ...counted.flatMap(({ counts }) => Object.values(counts)));
  const rows = names.map(
    (name) => html`
      <div class="instance-row">
        <span class="instance">${name}</span>
        <div>
          ${counted.map(({ counts, hue, label }) => {
            const count = counts[name] ?? 0;
            return html`
              <div class="instance-bar hue-${hue}">
                <i style=${{ width: `${(100 * count) / most}%` }}></i>
                <span><span class="unseen">${label} </span>${t.number(count)}</span>
              </div>
            `;
          })}
        </div>
      </div>
    `,
  );
  return html`
    <figure class="chart">
      <figcaption><strong>${t.run.charts.instances}</strong></figcaption>
      ${rows.length > 0 ? rows : html`<p class="quiet">${t.run.charts.empty}</p>`}
    </figure>
  `;
}
