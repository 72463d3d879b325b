import { LEGEND } from './legend.js';
import { type Cell, type Matrix } from '../../../contract/matrix.js';
import { whyNot } from './matrix.js';

/** The matrix in Markdown. `link` gives the address of a cell's evidence. */
export function matrixTable(matrix: Matrix, link?: (experiment: string) => string): string {
  const { faults, rows } = matrix;
  const header = ['strategy', ...faults.map(({ label }) => label)];
  const body = rows.map(({ strategy, cells }) => [
    `\`${strategy}\``,
    ...faults.map(({ id }) => shown(cells[id], link)),
  ]);
  const widths = header.map((title, column) =>
    Math.max(...[header, ...body].map((row) => (row[column] ?? title).length)),
  );
  const line = (row: readonly string[]) =>
    `| ${row.map((text, column) => text.padEnd(widths[column] ?? 0)).join(' | ')} |`;
  return [
    line(header),
    line(widths.map((width) => '-'.repeat(width))),
    ...body.map(line),
    '',
    LEGEND,
    '',
    ...whyNot(matrix).map((reason) => `- – ${reason}`),
    '',
  ].join('\n');
}

/** The matrix as a file beside the evidence; each letter links to it. */
export function matrixFile(matrix: Matrix): string {
  return `# The fault matrix\n\n${matrixTable(matrix, (id) => `${id}.json`)}`;
}

function shown(cell: Cell | undefined, link?: (experiment: string) => string): string {
  if (!cell || 'notRun' in cell) return '?';
  if ('notApplicable' in cell) return '–';
  const letter = `${cell.verdict}${cell.ok ? '' : '!'}`;
  const harmless = cell.ok && (cell.verdict === 'S' || cell.verdict === 'A');
  const text = harmless ? letter : `**${letter}**`;
  return link ? `[${text}](${link(cell.experiment)})` : text;
}
