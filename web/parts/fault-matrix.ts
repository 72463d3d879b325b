import { type VNode } from 'preact';
import { type ExperimentView } from '../../src/contract/lab-experiments.js';
import { type Cell, type Matrix } from '../../src/contract/matrix.js';
import { TONE_OF_LETTER } from '../display/matrix-letters.js';
import { useTexts } from '../state/language.js';
import { address } from '../state/route.js';
import { Icon } from './icon.js';
import { html, part } from './markup.js';

export interface FaultMatrixProps {
  readonly matrix: Matrix;
  /** To link cells that have not been run yet. */
  readonly experiments: readonly ExperimentView[];
}

/** A row per strategy, a column per fault; each cell links to its experiment. */
export function FaultMatrix({ matrix, experiments }: FaultMatrixProps): VNode {
  const t = useTexts();
  const { faults, rows } = matrix;
  if (rows.length === 0) return html`<p class="empty">${t.experiments.empty}</p>`;
  const draw = (
    strategy: string,
    fault: { readonly id: string; readonly title: string },
    cell: Cell | undefined,
  ): VNode => {
    if (!cell || 'notApplicable' in cell) {
      const why = cell ? cell.notApplicable : t.experiments.notApplicable;
      return html`<span class="cell none" title=${why}>·<span class="unseen">${t.experiments.notApplicable}</span></span>`;
    }
    if ('notRun' in cell) {
      const experiment = experiments.find((one) => one.strategy === strategy && one.fault === fault.id);
      return experiment
        ? html`<a
            class="cell not-run"
            href=${address('experiments', experiment.id)}
            title=${t.experiments.notRun}
            aria-label=${t.experiments.cell(strategy, fault.title, t.experiments.notRun)}
          >?</a>`
        : html`<span class="cell not-run" title=${cell.notRun}>?<span class="unseen">${t.experiments.notRun}</span></span>`;
    }
    const tone = TONE_OF_LETTER[cell.verdict];
    const words = t.experiments.letters[cell.verdict] + (cell.ok ? '' : `, ${t.experiments.unexpected}`);
    return html`
      <a
        class="cell ${tone} ${cell.ok ? '' : 'unexpected'}"
        href=${address('experiments', cell.experiment)}
        title=${words}
        aria-label=${t.experiments.cell(strategy, fault.title, words)}
      >${part(Icon, { name: tone })}${cell.verdict}${cell.ok ? '' : '!'}</a>
    `;
  };
  const titles = faults.map(({ id, title }) => ({ id, title: t.matrixFaults[id] ?? title }));
  return html`
    <div class="scroll matrix" tabindex="0" role="region" aria-label=${t.experiments.matrix}>
      <table>
        <thead>
          <tr>
            <th scope="col">${t.experiments.strategy}</th>
            ${titles.map(({ title }) => html`<th scope="col"><span>${title}</span></th>`)}
          </tr>
        </thead>
        <tbody>
          ${rows.map(
            ({ strategy, cells }) => html`
              <tr>
                <th scope="row"><a href=${address('strategies', strategy)}>${strategy}</a></th>
                ${titles.map((fault) => html`<td>${draw(strategy, fault, cells[fault.id])}</td>`)}
              </tr>
            `,
          )}
        </tbody>
      </table>
    </div>
  `;
}
