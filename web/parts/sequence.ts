import { type VNode } from 'preact';
import { useEffect, useMemo } from 'preact/hooks';
import { type Actor, type Step } from '../../src/contract/evidence.js';
import { type Drawn, HEAD, layOut, ROW } from '../display/sequence-layout.js';
import { useTexts } from '../state/language.js';
import { html } from './markup.js';
import { useWidth } from './use-width.js';

export interface SequenceProps {
  readonly actors: readonly Pick<Actor, 'id' | 'label' | 'kind'>[];
  readonly steps: readonly (Pick<Step, 'actor' | 'kind' | 'text'> & { readonly to?: string })[];
  /** The step that is looked at; those after it have not happened yet. */
  readonly at: number;
  readonly onStep: (index: number) => void;
}

const ARROW = 7;

/** Who did what to whom, from top to bottom. */
export function Sequence({ actors, steps, at, onStep }: SequenceProps): VNode {
  const t = useTexts();
  const { ref, width: available } = useWidth();
  const { width, height, columns, rows } = useMemo(
    () => layOut(actors, steps, available),
    [actors, steps, available],
  );
  useEffect(() => {
    // Only within its own frame: the page itself stays where it is.
    const frame = ref.current;
    if (frame) frame.scrollTo({ top: ROW * (at + 0.5) - (frame.clientHeight - HEAD) / 2 });
  }, [at]);
  const names = columns.map(
    ({ actor, x, nameY }) => html`
      <g class="actor">
        <line x1=${x} x2=${x} y1=${nameY + 6} y2=${HEAD} />
        <text x=${x} y=${nameY} text-anchor="middle">${actor.label}</text>
      </g>
    `,
  );
  const lines = columns.map(
    ({ x }) => html`<g class="actor"><line x1=${x} x2=${x} y1="0" y2=${height} /></g>`,
  );
  const drawn = rows.map((row, index) => {
    const time = index === at ? 'current' : index > at ? 'future' : 'past';
    return html`
      <g class="step kind-${row.step.kind} ${time}" onClick=${() => {
        onStep(index);
      }}>
        <rect class="band" x="0" y=${row.y - ROW * 0.72} width=${width} height=${ROW - 2} rx="6" />
        <text class="number" x="22" y=${row.y} text-anchor="end">${index + 1}</text>
        ${mark(row)}
        <text class="words" x=${row.label.x} y=${row.y - 9} text-anchor=${row.label.anchor}>${row.label.text}</text>
      </g>
    `;
  });
  return html`
    <div class="sequence" ref=${ref} tabindex="0" role="group" aria-label=${t.experiments.story}>
      <svg class="names" width=${width} height=${HEAD} aria-hidden="true">${names}</svg>
      <svg
        width=${width}
        height=${height}
        role="img"
        aria-label=${t.experiments.diagram(actors.length, steps.length)}
      >${lines}${drawn}</svg>
    </div>
  `;
}

function mark({ step, y, from, to }: Drawn): VNode {
  if (to === undefined) {
    return step.kind === 'fault'
      ? html`<path class="mark" d="M${from + 1.5} ${y - 7}l-7 8h5l-2 7 8-9h-5l2-6z" />`
      : html`<circle class="mark" cx=${from} cy=${y} r="5" />`;
  }
  const way = Math.sign(to - from);
  const tip = to - way * 2;
  return html`
    <line class="arrow" x1=${from} x2=${tip - way * (ARROW - 1)} y1=${y} y2=${y} />
    <path class="tip" d="M${tip} ${y}l${-way * ARROW} ${-ARROW * 0.6}v${ARROW * 1.2}z" />
  `;
}
