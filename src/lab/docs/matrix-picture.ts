import { type Cell, type Letter, type Matrix } from '../../contract/matrix.js';
import { LETTERS } from '../experiments/matrix/legend.js';

const NAME_WIDTH = 196;
const COLUMN = 66;
const ROW = 22;
const HEAD = 152;
const LEGEND = 62;

const COLOURS: Readonly<Record<Letter, { readonly paper: string; readonly ink: string }>> = {
  S: { paper: '#dff3e4', ink: '#116329' },
  A: { paper: '#e3e8f2', ink: '#3d4b66' },
  U: { paper: '#fbd5d5', ink: '#a40e26' },
  L: { paper: '#fdeccb', ink: '#7a4b00' },
  D: { paper: '#ecdcfb', ink: '#6639ba' },
};

/** The fault matrix as a small picture for the README: one letter and colour per cell. */
export function matrixPicture({ faults, rows }: Matrix): string {
  const width = NAME_WIDTH + faults.length * COLUMN + 44;
  const height = HEAD + rows.length * ROW + LEGEND;
  const heads = faults.map(({ label }, column) => {
    const x = NAME_WIDTH + column * COLUMN + COLUMN / 2;
    return `<text transform="translate(${x} ${HEAD - 10}) rotate(-40)">${escape(label)}</text>`;
  });
  const lines = rows.flatMap(({ strategy, cells }, row) => [
    `<text x="${NAME_WIDTH - 10}" y="${HEAD + row * ROW + 15}" text-anchor="end" class="n">${escape(strategy)}</text>`,
    ...faults.map(({ id }, column) => drawn(cells[id], NAME_WIDTH + column * COLUMN, HEAD + row * ROW)),
  ]);
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-label="The fault matrix">`,
    '<style>text{font:13px system-ui,sans-serif;fill:#1c2333}.n{font:12px ui-monospace,monospace}.c{text-anchor:middle;font-weight:700}</style>',
    `<defs>${Object.keys(LETTERS).map(symbol).join('')}<g id="none"><text x="32" y="15" class="c">–</text></g></defs>`,
    '<rect width="100%" height="100%" fill="#fff"/>',
    ...heads,
    ...lines,
    ...legend(height - LEGEND + 10),
    '</svg>',
    '',
  ].join('\n');
}

function symbol(letter: string): string {
  const { paper, ink } = COLOURS[letter as Letter];
  return `<g id="${letter}"><rect x="2" y="1" width="${COLUMN - 4}" height="${ROW - 2}" rx="4" fill="${paper}"/><text x="${COLUMN / 2}" y="15" class="c" style="fill:${ink}">${letter}</text></g>`;
}

/** A cell without evidence, or with a result that was not expected, has no letter: it stays empty. */
function drawn(cell: Cell | undefined, x: number, y: number): string {
  if (cell && 'notApplicable' in cell) return `<use href="#none" x="${x}" y="${y}"/>`;
  if (!cell || 'notRun' in cell || !cell.ok) return '';
  return `<use href="#${cell.verdict}" x="${x}" y="${y}"/>`;
}

/** Two rows of three. */
function legend(top: number): string[] {
  const entries = [...Object.entries(LETTERS), ['none', 'cannot happen'] as const];
  return entries.map(([letter, meaning], index) => {
    const x = 130 + (index % 3) * 250;
    const y = top + Math.floor(index / 3) * (ROW + 4);
    return `<use href="#${letter}" x="${x}" y="${y}"/><text x="${x + COLUMN + 6}" y="${y + 15}">${escape(meaning)}</text>`;
  });
}

function escape(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
