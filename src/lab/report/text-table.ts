import { stripVTControlCharacters } from 'node:util';

export interface Column<Row> {
  readonly title: string;
  readonly align?: 'left' | 'right';
  readonly cell: (row: Row) => string;
}

/** A table with aligned columns, for a terminal. */
export function textTable<Row>(columns: readonly Column<Row>[], rows: readonly Row[]): string {
  const lines = [
    columns.map(({ title }) => title),
    ...rows.map((row) => columns.map(({ cell }) => cell(row))),
  ];
  const widths = columns.map((_, index) => Math.max(...lines.map((line) => widthOf(line[index] ?? ''))));
  return lines
    .map((line) =>
      line
        .map((text, index) => {
          const room = ' '.repeat((widths[index] ?? 0) - widthOf(text));
          return columns[index]?.align === 'right' ? room + text : text + room;
        })
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}

/** Escape sequences of colours have no width. */
function widthOf(text: string): number {
  return stripVTControlCharacters(text).length;
}

/** The same as a Markdown table. */
export function markdownTable<Row>(columns: readonly Column<Row>[], rows: readonly Row[]): string {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  return [
    line(columns.map(({ title }) => title)),
    line(columns.map(({ align }) => (align === 'right' ? '---:' : '---'))),
    ...rows.map((row) => line(columns.map(({ cell }) => cell(row)))),
  ].join('\n');
}
