import { type Lifeline, type Drawn, HEAD, type Layout, ROW } from './layout.js';

/** An SVG element without children. `class` says what it shows; colours are the style sheet's. */
export interface Shape {
  readonly tag: 'line' | 'path' | 'circle' | 'rect' | 'text';
  readonly attributes: Readonly<Record<string, string | number>>;
  readonly text?: string;
}

const ARROW = 7;
/** The dashed line of an answer is the convention of sequence diagrams. */
const DASHED = { 'stroke-dasharray': '5 3' };

/** The name of a participant, above its line. */
export function nameShapes({ actor, x, nameY }: Lifeline): Shape[] {
  return [
    { tag: 'line', attributes: { x1: x, x2: x, y1: nameY + 6, y2: HEAD } },
    { tag: 'text', attributes: { x, y: nameY, 'text-anchor': 'middle' }, text: actor.label },
  ];
}

export function lifeline({ x }: Lifeline, { height }: Layout): Shape {
  return { tag: 'line', attributes: { x1: x, x2: x, y1: 0, y2: height } };
}

/** One step: its background, number, mark or arrow, and text. */
export function stepShapes(row: Drawn, index: number, { width }: Layout): Shape[] {
  const { y, label } = row;
  return [
    {
      tag: 'rect',
      attributes: { class: 'band', x: 0, y: y - ROW * 0.72, width, height: ROW - 2, rx: 6 },
    },
    { tag: 'text', attributes: { class: 'number', x: 22, y, 'text-anchor': 'end' }, text: String(index + 1) },
    ...markShapes(row),
    {
      tag: 'text',
      attributes: { class: 'words', x: label.x, y: y - 9, 'text-anchor': label.anchor },
      text: label.text,
    },
  ];
}

function markShapes({ step, y, from, to }: Drawn): Shape[] {
  if (to === undefined) {
    return step.kind === 'fault' || step.kind === 'time'
      ? [{ tag: 'path', attributes: { class: 'mark', d: `M${from + 1.5} ${y - 7}l-7 8h5l-2 7 8-9h-5l2-6z` } }]
      : [{ tag: 'circle', attributes: { class: 'mark', cx: from, cy: y, r: 5 } }];
  }
  const way = Math.sign(to - from);
  const tip = to - way * 2;
  return [
    {
      tag: 'line',
      attributes: {
        class: 'arrow',
        x1: from,
        x2: tip - way * (ARROW - 1),
        y1: y,
        y2: y,
        ...((step.kind === 'answer' || step.kind === 'reply') && DASHED),
      },
    },
    {
      tag: 'path',
      attributes: { class: 'tip', d: `M${tip} ${y}l${-way * ARROW} ${-ARROW * 0.6}v${ARROW * 1.2}z` },
    },
  ];
}
