import { type Column, textTable } from '../../report/text-table.js';
import { terminal } from '../../terminal.js';
import { LEGEND } from './legend.js';
import { type Cell, type Matrix } from '../../../contract/matrix.js';

/** The matrix for a terminal. Numbers replace the column titles, so that it fits into 80 characters. */
export function matrixText({ faults, rows }: Matrix): string {
  const columns: Column<Matrix['rows'][number]>[] = [
    { title: 'strategy', cell: ({ strategy }) => strategy },
    ...faults.map(({ id }, index) => ({
      title: String(index + 1),
      align: 'right' as const,
      cell: ({ cells }: Matrix['rows'][number]) => shown(cells[id]),
    })),
  ];
  const titles = faults.map(
    ({ id, title }, index) => `${String(index + 1).padStart(2)} ${title} ${terminal.dim(id)}`,
  );
  return `${textTable(columns, rows)}\n\n${titles.join('\n')}\n\n${LEGEND}\n`;
}

function shown(cell: Cell | undefined): string {
  if (!cell || 'notRun' in cell) return terminal.dim('?');
  if ('notApplicable' in cell) return terminal.dim('–');
  if (!cell.ok) return terminal.red(`${cell.verdict}!`);
  const colour = cell.verdict === 'S' ? terminal.green : cell.verdict === 'A' ? terminal.dim : terminal.red;
  return colour(cell.verdict);
}
