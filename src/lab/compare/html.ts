import { htmlFile } from '../report/html-file.js';
import { html, Markup } from '../report/markup.js';
import { milliseconds, whole } from '../report/numbers.js';
import { chartRows, latencyChart, legend, throughputChart } from './charts.js';
import { REPORT_COLUMNS } from './columns.js';
import { type ComparedStrategy, type Comparison, type Speed } from './comparison.js';
import { byInstances, instancesTitle, introduction, machineLine, madeBy } from './texts.js';

/** A click on a column title sorts the table, a second click reverses the order. Without scripts the table is not sortable. */
const SORT = new Markup(`
for (const button of document.querySelectorAll('th button')) {
  button.addEventListener('click', () => {
    const head = button.closest('th');
    const body = head.closest('table').tBodies[0];
    const index = [...head.parentNode.children].indexOf(head);
    const descending = head.ariaSort ? head.ariaSort === 'ascending' : head.className === 'right';
    for (const other of head.parentNode.children) other.removeAttribute('aria-sort');
    head.ariaSort = descending ? 'descending' : 'ascending';
    const value = (row) => row.children[index].dataset.value;
    const compare = (a, b) => (isNaN(value(a)) ? value(a).localeCompare(value(b)) : value(a) - value(b));
    body.append(...[...body.rows].sort((a, b) => (descending ? -1 : 1) * compare(a, b)));
  });
}`);

export function htmlReport(comparison: Comparison): string {
  const rows = chartRows(comparison.results);
  const sections = byInstances(comparison);
  const counts = sections.map(({ instances }) => instances);
  return htmlFile(
    'comparison of the strategies',
    html` <header>
        <h1>Comparison of the strategies</h1>
        <p>${withCode(madeBy(comparison))}</p>
        <p class="machine">${machineLine(comparison)}</p>
      </header>
      <main>
        <section>
          <h2>Sales per second</h2>
          <p>
            ${noops(comparison.noop)}
            ${rows.some(isUnsafe) ? html`<b class="bad">✗</b> oversold or lost updates: its speed does not count.` : undefined}
          </p>
          ${legend(counts)} ${throughputChart(rows)}
        </section>
        <section>
          <h2>Time until the outcome</h2>
          <p>
            The left end of a bar is the median, the mark is p95, the right end is p99. The scale is
            logarithmic.
          </p>
          ${legend(counts)} ${latencyChart(rows)}
        </section>
        ${sections.map(
          ({ instances, rows: results }) =>
            html`<section>
              <h2>${instancesTitle(instances)}</h2>
              <div class="scroll" tabindex="0" role="region" aria-label="Table: ${instancesTitle(instances)}">
                ${table(results)}
              </div>
            </section>`,
        )}
        <section>
          <h2>How it was measured</h2>
          <ul>
            ${introduction(comparison).map((line) => html`<li>${line}</li>`)}
          </ul>
          <dl>
            ${REPORT_COLUMNS.map(
              ({ title, meaning }) =>
                html`<div>
                  <dt>${title}</dt>
                  <dd>${meaning}</dd>
                </div>`,
            )}
          </dl>
        </section>
        <section>
          <h2>The verdicts in words</h2>
          <dl>
            ${sections.flatMap(({ instances, rows: results }) =>
              results
                .filter(({ verdict }) => verdict !== 'SAFE')
                .map(
                  ({ strategy, verdict, explanation }) =>
                    html`<div>
                      <dt>${strategy}, ${instancesTitle(instances).toLowerCase()}: ${verdict}</dt>
                      <dd>${explanation}</dd>
                    </div>`,
                ),
            )}
          </dl>
        </section>
      </main>
      <script>
        ${SORT};
      </script>`,
  );
}

function table(rows: readonly ComparedStrategy[]): Markup {
  return html`<table>
    <thead>
      <tr>
        ${REPORT_COLUMNS.map(
          ({ title, align, meaning }) =>
            html`<th scope="col" class="${align ?? 'left'}" title="${meaning}">
              <button type="button">${title}</button>
            </th>`,
        )}
      </tr>
    </thead>
    <tbody>
      ${rows.map(
        (row) =>
          html`<tr>
            ${REPORT_COLUMNS.map(({ title, align, cell, value }, index) => {
              const shown =
                title === 'verdict'
                  ? html`<b class="${row.verdict === 'SAFE' ? 'good' : 'bad'}">${cell(row)}</b>`
                  : cell(row);
              const attributes = html`class="${align ?? 'left'}" data-value="${value(row)}"`;
              return index === 0
                ? html`<th scope="row" ${attributes}>${shown}</th>`
                : html`<td ${attributes}>${shown}</td>`;
            })}
          </tr> `,
      )}
    </tbody>
  </table>`;
}

function isUnsafe({ results }: { readonly results: readonly ComparedStrategy[] }): boolean {
  return results.some(({ verdict }) => verdict !== 'SAFE');
}

/** As text, not as a bar: its bar would make all others short. */
function noops(speeds: readonly Speed[]): string {
  const said = speeds.map(
    ({ instances, throughput, p50 }) =>
      `${whole(throughput)} per second with ${instancesTitle(instances).toLowerCase()} (p50 ${milliseconds(p50)} ms)`,
  );
  return said.length === 0 ? '' : `A POST that sells nothing makes ${said.join(', ')}.`;
}

/** Backquotes become <code>, as in Markdown. */
function withCode(text: string): Markup[] {
  return text.split('`').map((part, index) => (index % 2 === 1 ? html`<code>${part}</code>` : html`${part}`));
}
