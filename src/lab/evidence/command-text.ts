/** Renders a value; `name` is its column or field, where one is known. */
export type Render = (value: unknown, name?: string) => string;

export const asItIs: Render = (value) => {
  if (value === null || value === undefined) return 'NULL';
  if (typeof value === 'string') return `'${value}'`;
  return typeof value === 'number' ? String(value) : JSON.stringify(value);
};

const INSERT = /^(INSERT (?:IGNORE )?INTO \w+) \(([^()]*)\) VALUES (.*)$/;
/** The column before the parameter: `version = ?`, `inventory - ?`, `fence < ?`. */
const COMPARED = /((?:[a-z]\w*\.)?[a-z]\w*) ?(?:=|<>|<=|>=|<|>|\+|-) ?$/i;

/** An SQL statement with its parameters in their places. A Redis command has none. */
export function withValues(sql: string, values: readonly unknown[], render: Render = asItIs): string {
  if (values.length === 0) return sql;
  const insert = INSERT.exec(sql);
  if (insert) return insertText(insert, values, render);
  return fill(sql, values, (before) => columnBefore(before), render);
}

/** The id of an order counts over all experiments; that of the goods does not. */
function columnBefore(before: string): string | undefined {
  const name = COMPARED.exec(before)?.[1];
  return name !== undefined && /^(sale|back|orders)\.id$/.test(name) ? 'orderId' : name?.replace(/^.*\./, '');
}

function fill(
  sql: string,
  values: readonly unknown[],
  nameBefore: (before: string) => string | undefined,
  render: Render,
): string {
  const left = [...values];
  return sql.replace(/\?/g, (_mark, at: number) => {
    const value = left.shift();
    return Array.isArray(value)
      ? value.map((one) => render(one)).join(', ')
      : render(value, nameBefore(sql.slice(0, at)));
  });
}

/** The columns that are NULL are left out: an order has 18, and most of them are. */
function insertText(
  [, head = '', list = '', tail = '']: RegExpExecArray,
  values: readonly unknown[],
  render: Render,
): string {
  const columns = list.split(',').map((column) => column.trim());
  const { rows, rest } = rowsIn(tail, values);
  if (rows.length === 0 || rows.some(({ length }) => length !== columns.length))
    return fill(`${head} (${list}) VALUES ${tail}`, values.flat(2), () => undefined, render);
  const used = columns.flatMap((name, index) =>
    rows.every((cells) => isNull(cells[index])) ? [] : [{ name, index }],
  );
  const omitted = used.length < columns.length ? ', …' : '';
  const shown = rows.map((cells) =>
    used.map(({ name, index }) => {
      const cell = cells[index];
      return typeof cell === 'string' ? cell : render(cell?.value, name);
    }),
  );
  const names = used.map(({ name }) => name).join(', ');
  const tuples = shown.map((cells) => `(${cells.join(', ')}${omitted})`).join(', ');
  return `${head} (${names}${omitted}) VALUES ${tuples}${rest}`;
}

/** A parameter, or a literal of the statement. */
type Cell = string | { readonly value: unknown };
const isNull = (cell: Cell | undefined) =>
  cell === 'NULL' || (typeof cell === 'object' && (cell.value === null || cell.value === undefined));

interface Rows {
  readonly rows: readonly (readonly Cell[])[];
  /** What follows the rows. */
  readonly rest: string;
}

const NO_ROWS: Rows = { rows: [], rest: '' };

/** `VALUES ?` has its rows as one parameter; `VALUES (?, 1)` has one row of parameters and literals. */
function rowsIn(tail: string, values: readonly unknown[]): Rows {
  const [bulk] = values;
  if (tail.startsWith('?') && Array.isArray(bulk)) {
    const rows = bulk.map((row: unknown) =>
      (Array.isArray(row) ? row : [row]).map((value: unknown) => ({ value })),
    );
    return { rows, rest: tail.slice(1) };
  }
  const row = /^\(([^()]*(?:\([^()]*\)[^()]*)*)\)(.*)$/.exec(tail);
  // What follows, such as ON DUPLICATE KEY UPDATE, may have parameters too.
  if (!row || row[2]?.includes('?')) return NO_ROWS;
  const left = [...values];
  const cells = (row[1] ?? '')
    .split(/,(?![^(]*\))/)
    .map((cell) => cell.trim())
    .map((cell): Cell => (cell === '?' ? { value: left.shift() } : fillIn(cell, left)));
  return { rows: [cells], rest: row[2] ?? '' };
}

const fillIn = (cell: string, left: unknown[]) => cell.replace(/\?/g, () => asItIs(left.shift()));
