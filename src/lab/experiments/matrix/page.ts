import { escape } from '../../../diagram/svg.js';
import { type Evidence } from '../../../contract/evidence.js';
import { type Letter } from '../../../contract/matrix.js';
import { LEGEND } from './legend.js';
import { type Cell, type Matrix } from '../../../contract/matrix.js';
import { whyNot } from './matrix.js';

const COLOURS: Readonly<Record<Letter, string>> = {
  S: '#1a7f37',
  A: '#6e7781',
  U: '#cf222e',
  L: '#bc4c00',
  D: '#8250df',
};

/** The matrix as one HTML file; each cell links to the sequence diagram of its experiment. */
export function matrixPage(matrix: Matrix, evidence: ReadonlyMap<string, Evidence>): string {
  const { faults, rows } = matrix;
  const head = faults.map(({ title }) => `<th scope="col">${escape(title)}</th>`).join('');
  const body = rows
    .map(({ strategy, cells }) => {
      const columns = faults.map(({ id }) => shown(cells[id], evidence)).join('');
      return `<tr><th scope="row"><code>${escape(strategy)}</code></th>${columns}</tr>`;
    })
    .join('\n');
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>Lockstock: the fault matrix</title>
<style>
  :root { color-scheme: light dark; font: 15px/1.5 system-ui, sans-serif; }
  body { max-width: 76rem; margin: 2rem auto; padding: 0 1rem; }
  .scroll { overflow-x: auto; }
  table { border-collapse: collapse; }
  th, td { padding: .35rem .6rem; text-align: center; border-bottom: 1px solid #8884; }
  thead th { font-weight: 500; font-size: .8rem; vertical-align: bottom; min-width: 5rem; }
  th[scope=row] { text-align: left; font-weight: 400; }
  td a, td span { display: inline-block; min-width: 1.6rem; border-radius: .3rem; text-decoration: none; }
  td a { color: #fff; font-weight: 600; }
  ul { padding: 0; list-style: none; }
</style>
<h1>Which strategy breaks under which fault</h1>
<p>Every cell was seen on real servers. A click shows every step, and the proof that the fault happened.</p>
<div class="scroll"><table><thead><tr><th></th>${head}</tr></thead><tbody>
${body}
</tbody></table></div>
<p>${escape(LEGEND)}</p>
<ul>${whyNot(matrix)
    .map((reason) => `<li>– ${escape(reason)}</li>`)
    .join('')}</ul>
</html>
`;
}

function shown(cell: Cell | undefined, evidence: ReadonlyMap<string, Evidence>): string {
  if (!cell) return '<td></td>';
  if ('notApplicable' in cell) return `<td><span title="${escape(cell.notApplicable)}">–</span></td>`;
  if ('notRun' in cell) return `<td><span title="${escape(cell.notRun)}">?</span></td>`;
  const { verdict, experiment, ok } = cell;
  const why = evidence.get(experiment)?.why ?? '';
  return (
    `<td><a href="${encodeURIComponent(experiment)}.svg" title="${escape(why)}" ` +
    `style="background:${COLOURS[verdict]}">${verdict}${ok ? '' : '!'}</a></td>`
  );
}
