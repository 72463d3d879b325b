import { type PlayedStep } from './replay.js';

const LONGEST = 110;
const LONGEST_ANSWER = 60;

/** The command with its values. */
export function commandOf({ text: sql, values }: Pick<PlayedStep, 'text' | 'values'>): string {
  return cut(withValues(sql, values), LONGEST);
}

export function answerOf({ returned, error }: Pick<PlayedStep, 'returned' | 'error'>): string {
  return cut(error === undefined ? valueOf(returned) : `error: ${error}`, LONGEST_ANSWER);
}

/** Rows as `inventory 1, version 2`; counts as `1 row`. */
function valueOf(value: unknown): string {
  if (Array.isArray(value) && value.length > 0 && value.every(isRow))
    return value
      .map((row) =>
        Object.entries(row)
          .map(([name, cell]) => `${name} ${text(cell)}`)
          .join(', '),
      )
      .join('; ');
  if (Array.isArray(value) && value.length === 0) return 'no rows';
  if (isRow(value) && typeof value['affectedRows'] === 'number') {
    const { affectedRows, insertId } = value;
    if (affectedRows === 0 && insertId === undefined) return 'OK, 0 rows';
    return `${affectedRows} row${affectedRows === 1 ? '' : 's'}${insertId === undefined ? '' : `, id ${text(insertId)}`}`;
  }
  return text(value);
}

function isRow(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function text(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value ?? null);
}

/** The parameters in their places. The long list of columns of an INSERT is left out. */
function withValues(sql: string, values: readonly unknown[]): string {
  const left = [...values];
  return sql.replace(/\(([^()]{40,})\)/, '(…)').replace(/\?/g, () => JSON.stringify(left.shift() ?? null));
}

function cut(long: string, length: number): string {
  return long.length > length ? `${long.slice(0, length - 1)}…` : long;
}

const OWNER = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{1,12}(?::\d+)?|\b[0-9a-f]{24,40}\b/g;

/** Short names for the random owners of locks. */
export class Names {
  private readonly known = new Map<string, string>();

  of(long: string): string {
    return long.replace(OWNER, (owner) => {
      const name = this.known.get(owner) ?? `owner-${this.known.size + 1}`;
      this.known.set(owner, name);
      return name;
    });
  }
}
