import { LEGEND } from '../../evidence/verdict-letters.js';
import { type Cell, type Matrix, whyNot } from './matrix.js';

/** The matrix in Markdown. With `link`, which says where the evidence of a cell is, each letter leads there. */
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

function shown(cell: Cell | undefined, link?: (experiment: string) => string): string {
  if (!cell || 'notRun' in cell) return '?';
  if ('notApplicable' in cell) return '–';
  const letter = `${cell.verdict}${cell.ok ? '' : '!'}`;
  const harmless = cell.ok && (cell.verdict === 'S' || cell.verdict === 'A');
  const text = harmless ? letter : `**${letter}**`;
  return link ? `[${text}](${link(cell.experiment)})` : text;
}
