import { type VNode } from 'preact';
import { html } from './markup.js';

export interface RowTableProps {
  readonly label: string;
  readonly rows: readonly Readonly<Record<string, unknown>>[];
}

/** Rows of the database as they are. */
export function RowTable({ label, rows }: RowTableProps): VNode {
  const names = [...new Set(rows.flatMap((row) => Object.keys(row)))];
  const shown = (value: unknown) => (typeof value === 'string' ? value : JSON.stringify(value));
  return html`
    <div class="scroll" tabindex="0" role="region" aria-label=${label}>
      <table class="rows">
        <thead><tr>${names.map((name) => html`<th scope="col">${name}</th>`)}</tr></thead>
        <tbody>
          ${rows.map((row) => html`<tr>${names.map((name) => html`<td>${shown(row[name])}</td>`)}</tr>`)}
        </tbody>
      </table>
    </div>
  `;
}
