/** A cell; `show` decorates it after it was padded to the width of its column. */
export type Cell = string | { readonly text: string; readonly show: (text: string) => string };

/** Columns as wide as their widest cell. A heading that begins with `>` marks a column of numbers. */
export function table(headings: readonly string[], rows: readonly (readonly Cell[])[]): string[] {
  const text = (cell: Cell | undefined) => (typeof cell === 'object' ? cell.text : (cell ?? ''));
  const columns = headings.map((heading, index) => {
    const right = heading.startsWith('>');
    const title = right ? heading.slice(1) : heading;
    const width = Math.max(title.length, ...rows.map((row) => text(row[index]).length));
    return { title, pad: (value: string) => (right ? value.padStart(width) : value.padEnd(width)) };
  });
  const line = (cells: readonly Cell[]) =>
    columns
      .map(({ pad }, index) => {
        const cell = cells[index];
        const padded = pad(text(cell));
        return typeof cell === 'object' ? cell.show(padded) : padded;
      })
      .join('  ')
      .trimEnd();
  return [line(columns.map(({ title }) => title)), ...rows.map(line)];
}
