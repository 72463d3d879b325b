import { type Actor, type Evidence, type Finding, type Step, type StepKind } from './evidence.js';

const COLUMN = 190;
const ROW = 34;
const HEAD = 96;
const MARGIN = 110;
/** So much of a text is shown however short its arrow is; a longer arrow has room for more. */
const TEXT = 46;
const LETTER = 7;

const COLOURS: Readonly<Record<StepKind, string>> = {
  request: '#1f6feb',
  answer: '#1f6feb',
  checkpoint: '#6e7781',
  fault: '#cf222e',
  query: '#57606a',
  note: '#6e7781',
};

/** Whatever else is found is as red as what nobody expected. */
const HARMLESS_COLOURS: Partial<Readonly<Record<Finding, string>>> = { SAFE: '#1a7f37', BLOCKED: '#9a6700' };

/** The evidence as a sequence diagram: a column for each who took part, time runs down. */
export function drawSequence(evidence: Evidence): string {
  const actors = inOrder(evidence.actors);
  const x = new Map(actors.map(({ id }, index) => [id, MARGIN + index * COLUMN]));
  const width = MARGIN * 2 + (actors.length - 1) * COLUMN;
  const height = HEAD + (evidence.steps.length + 1) * ROW + 30;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" ` +
      `font-family="system-ui, sans-serif" font-size="12" role="img" aria-label="${escape(evidence.title)}">`,
    `<rect width="100%" height="100%" fill="#fff"/>`,
    `<text x="16" y="24" font-size="15" font-weight="600">${escape(evidence.title)}</text>`,
    `<text x="16" y="44" fill="${colourOf(evidence)}">${escape(conclusion(evidence))}</text>`,
    ...actors.map((actor) => lifeline(actor, x.get(actor.id) ?? 0, height)),
    ...evidence.steps.map((step, index) => drawStep(step, HEAD + (index + 1) * ROW, x, width)),
    '</svg>',
    '',
  ].join('\n');
}

function colourOf({ verdict, ok }: Evidence): string {
  return (ok ? HARMLESS_COLOURS[verdict] : undefined) ?? '#cf222e';
}

function conclusion({ verdict, ok, why }: Evidence): string {
  return `${ok ? '' : 'Not as expected: '}${verdict}. ${why}`;
}

/** Clients left, servers right, and those who break things at the edge. */
function inOrder(actors: readonly Actor[]): Actor[] {
  const places: readonly Actor['kind'][] = ['lab', 'client', 'instance', 'redis', 'mysql', 'other'];
  return [...actors].sort((a, b) => places.indexOf(a.kind) - places.indexOf(b.kind));
}

function lifeline({ label, pid }: Actor, x: number, height: number): string {
  const title = pid === undefined ? label : `${label} (${pid})`;
  return (
    `<line x1="${x}" x2="${x}" y1="${HEAD}" y2="${height - 10}" stroke="#d0d7de"/>` +
    `<rect x="${x - 80}" y="${HEAD - 32}" width="160" height="26" rx="6" fill="#f6f8fa" stroke="#d0d7de"/>` +
    `<text x="${x}" y="${HEAD - 15}" text-anchor="middle">${escape(title)}</text>`
  );
}

function drawStep(
  { actor, to, kind, text, atMs }: Step,
  y: number,
  x: ReadonlyMap<string, number>,
  width: number,
): string {
  const from = x.get(actor) ?? 0;
  const target = to === undefined ? undefined : x.get(to);
  const colour = COLOURS[kind];
  const time = `<text x="8" y="${y + 4}" font-size="10" fill="#8c959f">${atMs} ms</text>`;
  const alone = target === undefined || target === from;
  const room = Math.max(TEXT, Math.floor(Math.abs((alone ? width : target) - from) / LETTER));
  const words = escape(text.length > room ? `${text.slice(0, room - 1)}…` : text);
  if (alone) {
    const mark = kind === 'checkpoint' ? `<circle cx="${from}" cy="${y}" r="4" fill="${colour}"/>` : '';
    return `${time}${mark}<text x="${from + 10}" y="${y + 4}" fill="${colour}">${words}</text>`;
  }
  const direction = target > from ? 1 : -1;
  const head = `${target},${y} ${target - 7 * direction},${y - 4} ${target - 7 * direction},${y + 4}`;
  const dashed = kind === 'answer' ? ' stroke-dasharray="5 3"' : '';
  return (
    `${time}<line x1="${from}" x2="${target}" y1="${y}" y2="${y}" stroke="${colour}"${dashed}/>` +
    `<polygon points="${head}" fill="${colour}"/>` +
    `<text x="${(from + target) / 2}" y="${y - 5}" text-anchor="middle" fill="${colour}">${words}</text>`
  );
}

export function escape(text: string): string {
  return text.replace(/[&<>"]/g, (sign) => `&#${sign.charCodeAt(0)};`);
}
