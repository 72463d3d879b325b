import { asItIs, type Render } from './command-text.js';
import { coordinationAnswer } from './coordination-answer.js';
import { redisAnswer } from './redis-answer.js';

/** What a server returned: a value or an error. */
export interface ServerAnswer {
  readonly value?: unknown;
  readonly error?: string;
}

type Cells = Readonly<Record<string, unknown>>;

/** Without quotes: an answer is read, and not repeated. */
const bare =
  (render: Render): Render =>
  (value, name) =>
    render(value, name).replace(/^'(.*)'$/, '$1');

/** The answer to a command in a few words: `inventory 1, version 0`, `1 row`, `granted, token 7`. */
export function answerText(
  { server, text }: { readonly server: string; readonly text: string },
  { value, error }: ServerAnswer,
  render: Render = asItIs,
): string {
  if (error !== undefined) return `error: ${error}`;
  if (server === 'etcd' || server === 'zookeeper') return coordinationAnswer(text, value);
  if (server === 'redis') return redisAnswer(text, value, bare(render));
  return tableAnswer(text, value, bare(render));
}

function tableAnswer(text: string, value: unknown, render: Render): string {
  // A procedure returns its rows and then the counts of the call.
  if (Array.isArray(value) && Array.isArray(value[0])) return rowsText(value[0], render);
  if (Array.isArray(value)) return rowsText(value, / FROM orders\b/.test(text) ? ofOrders(render) : render);
  if (isCells(value) && typeof value['affectedRows'] === 'number') return changeText(text, value, render);
  return render(value ?? null);
}

/** The id of an order counts over all experiments. */
const ofOrders =
  (render: Render): Render =>
  (value, name) =>
    render(value, name === 'id' ? 'orderId' : name);

function rowsText(rows: readonly unknown[], render: Render): string {
  if (rows.length === 0) return 'no rows';
  return rows
    .map((row) =>
      isCells(row)
        ? Object.entries(row)
            .map(([name, cell]) => `${name} ${render(cell, name)}`)
            .join(', ')
        : render(row),
    )
    .join('; ');
}

/** START TRANSACTION and COMMIT change no rows themselves. */
const CHANGES = /^(INSERT|UPDATE|DELETE|REPLACE)\b/i;

function changeText(text: string, { affectedRows, insertId }: Cells, render: Render): string {
  if (!CHANGES.test(text)) return 'OK';
  const rows = `${String(affectedRows)} row${affectedRows === 1 ? '' : 's'}`;
  const sequence = /(\w+) = LAST_INSERT_ID\(/.exec(text)?.[1];
  return sequence && insertId !== undefined ? `${rows}, ${sequence} ${render(insertId, sequence)}` : rows;
}

function isCells(value: unknown): value is Cells {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
