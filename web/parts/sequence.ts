import { type VNode } from 'preact';
import { useEffect, useMemo } from 'preact/hooks';
import { type DrawnStep, HEAD, layOut, type Participant, ROW } from '../../src/diagram/layout.js';
import { lifeline, nameShapes, type Shape, stepShapes } from '../../src/diagram/shapes.js';
import { useTexts } from '../state/language.js';
import { html } from './markup.js';
import { useWidth } from './use-width.js';

export interface SequenceProps {
  readonly actors: readonly Participant[];
  readonly steps: readonly DrawnStep[];
  /** The current step; later steps are shown as not happened yet. */
  readonly at: number;
  readonly onStep: (index: number) => void;
}

/** The sequence diagram. Time runs from top to bottom. */
export function Sequence({ actors, steps, at, onStep }: SequenceProps): VNode {
  const t = useTexts();
  const { ref, width: available } = useWidth();
  const layout = useMemo(() => layOut(actors, steps, available), [actors, steps, available]);
  const { width, height, columns, rows } = layout;
  useEffect(() => {
    // Scrolls only the frame of the diagram, not the page.
    const frame = ref.current;
    if (frame) frame.scrollTo({ top: ROW * (at + 0.5) - (frame.clientHeight - HEAD) / 2 });
  }, [at]);
  const names = columns.map((column) => html`<g class="actor">${nameShapes(column).map(element)}</g>`);
  const lines = columns.map((column) => html`<g class="actor">${element(lifeline(column, layout))}</g>`);
  const drawn = rows.map((row, index) => {
    const time = index === at ? 'current' : index > at ? 'future' : 'past';
    return html`
      <g class="step kind-${row.step.kind} ${time}" onClick=${() => {
        onStep(index);
      }}>${stepShapes(row, index, layout).map(element)}</g>
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

function element({ tag, attributes, text }: Shape): VNode {
  return html`<${tag} ...${attributes}>${text}</${tag}>`;
}
