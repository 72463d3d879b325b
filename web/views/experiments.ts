import { type VNode } from 'preact';
import { listExperiments, readMatrix } from '../client/experiments.js';
import { ExperimentList } from '../parts/experiment-list.js';
import { FaultMatrix } from '../parts/fault-matrix.js';
import { pending } from '../parts/loaded.js';
import { html, part } from '../parts/markup.js';
import { MatrixLegend } from '../parts/matrix-legend.js';
import { ViewHead } from '../parts/view-head.js';
import { useTexts } from '../state/language.js';
import { useLoaded } from '../state/use-loaded.js';

/** The fault matrix and the list of experiments. */
export function Experiments(): VNode {
  const t = useTexts().experiments;
  const matrix = useLoaded(readMatrix);
  const list = useLoaded(listExperiments);
  return html`
    ${part(ViewHead, { title: t.title, lead: t.lead })}
    ${pending(matrix) ?? (matrix.value ? html`${part(MatrixLegend, {})}${part(FaultMatrix, { matrix: matrix.value, experiments: list.value ?? [] })}` : '')}
    ${
      list.value
        ? html`
            <details class="block">
              <summary><h2>${t.others(list.value.length)}</h2></summary>
              ${part(ExperimentList, { experiments: list.value })}
            </details>
          `
        : list.error !== undefined && pending(list)
    }
  `;
}
