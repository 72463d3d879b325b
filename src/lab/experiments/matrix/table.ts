import { LETTERS } from '../letters.js';
import { type Cell, type Matrix } from './matrix.js';

/** The matrix in Markdown. `link` says where the evidence of a cell is, if it is anywhere. */
export function matrixTable({ faults, rows }: Matrix, link?: (experiment: string) => string): string {
  const header = ['strategy', ...faults.map(({ title }) => title)];
  const body = rows.map(({ strategy, cells }) => [
    `\`${strategy}\``,
    ...faults.map(({ id }) => shown(cells[id], link)),
  ]);
  const widths = header.map((title, column) =>
    Math.max(...[header, ...body].map((row) => (row[column] ?? title).length)),
  );
  const line = (row: readonly string[]) =>
    `| ${row.map((text, column) => text.padEnd(widths[column] ?? 0)).join(' | ')} |`;
  const legend = Object.entries(LETTERS).map(([letter, meaning]) => `${letter} ${meaning}`);
  return [
    line(header),
    line(widths.map((width) => '-'.repeat(width))),
    ...body.map(line),
    '',
    `${legend.join(' · ')} · – cannot happen to it · ? not run`,
    '',
  ].join('\n');
}

function shown(cell: Cell | undefined, link?: (experiment: string) => string): string {
  if (!cell || 'notRun' in cell) return '?';
  if ('notApplicable' in cell) return '–';
  const letter = cell.verdict === 'S' || cell.verdict === 'A' ? cell.verdict : `**${cell.verdict}**`;
  return link ? `[${letter}](${link(cell.experiment)})` : letter;
}
