import type { Evidence, StepKind } from '../contract/evidence.js';
import { HEAD, layOut } from './layout.js';
import { lifeline, nameShapes, type Shape, stepShapes } from './shapes.js';

/** Title and conclusion, above the names. */
const TITLE = 60;
const COLUMN = 190;

const COLOURS: Readonly<Record<StepKind, string>> = {
  request: '#1f6feb',
  answer: '#1f6feb',
  checkpoint: '#6e7781',
  fault: '#cf222e',
  query: '#57606a',
  reply: '#57606a',
  time: '#9a6700',
  note: '#6e7781',
};
const HARMLESS_COLOURS: Readonly<Partial<Record<Evidence['verdict'], string>>> = {
  SAFE: '#1a7f37',
  BLOCKED: '#9a6700',
};
const BROKEN_COLOUR = '#cf222e';

const STYLE = [
  '.actor line{stroke:#d0d7de}',
  '.actor text{font-weight:600}',
  '.band{fill:none}',
  '.number{fill:#8c959f;font-size:10px}',
  ...Object.entries(COLOURS).map(
    ([kind, colour]) =>
      `.${kind} .words,.${kind} .mark,.${kind} .tip{fill:${colour}}.${kind} .arrow{stroke:${colour}}`,
  ),
].join('');

/** What a diagram shows of evidence. */
export type Drawable = Pick<Evidence, 'title' | 'actors' | 'steps' | 'verdict' | 'ok' | 'why'>;

/** The evidence as a sequence diagram in one SVG file: a column per participant, time runs down. */
export function drawSequence(evidence: Drawable): string {
  const { title, actors, steps } = evidence;
  const layout = layOut(actors, steps, actors.length * COLUMN);
  const width = Math.round(layout.width);
  const height = TITLE + HEAD + layout.height;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" ` +
      `font-family="system-ui, sans-serif" font-size="12" role="img" aria-label="${escape(title)}">`,
    `<style>${STYLE}</style>`,
    '<rect width="100%" height="100%" fill="#fff"/>',
    `<text x="16" y="24" font-size="15" font-weight="600">${escape(title)}</text>`,
    `<text x="16" y="44" fill="${colourOf(evidence)}">${escape(conclusion(evidence))}</text>`,
    `<g transform="translate(0 ${TITLE})">`,
    ...layout.columns.map((column) => group('actor', nameShapes(column))),
    '</g>',
    `<g transform="translate(0 ${TITLE + HEAD})">`,
    ...layout.columns.map((column) => group('actor', [lifeline(column, layout)])),
    ...layout.rows.map((row, index) => group(row.step.kind, stepShapes(row, index, layout))),
    '</g>',
    '</svg>',
    '',
  ].join('\n');
}

function group(name: string, shapes: readonly Shape[]): string {
  return `<g class="${name}">${shapes.map(element).join('')}</g>`;
}

function element({ tag, attributes, text }: Shape): string {
  const written = Object.entries(attributes).map(([name, value]) => ` ${name}="${short(value)}"`);
  return `<${tag}${written.join('')}>${escape(text ?? '')}</${tag}>`;
}

/** Tenths of a pixel are enough. */
function short(value: string | number): string {
  return typeof value === 'number' ? String(Math.round(value * 10) / 10) : value;
}

function colourOf({ verdict, ok }: Drawable): string {
  return (ok ? HARMLESS_COLOURS[verdict] : undefined) ?? BROKEN_COLOUR;
}

function conclusion({ verdict, ok, why }: Drawable): string {
  return `${ok ? '' : 'Not as expected: '}${verdict}. ${why}`;
}

export function escape(text: string): string {
  return text.replace(/[&<>"]/g, (sign) => `&#${sign.charCodeAt(0)};`);
}
