import { type VNode } from 'preact';
import { useEffect, useLayoutEffect, useState } from 'preact/hooks';
import { useTexts } from '../state/language.js';
import { Icon } from './icon.js';
import { html, part } from './markup.js';

export interface StepperProps {
  readonly at: number;
  readonly count: number;
  readonly onStep: (index: number) => void;
}

const PLAY_MS = 1400;
/** Elements that use the arrow keys themselves. */
const OWN_KEYS = 'input, select, textarea, pre, [role=tab], .scroll, dialog';

/** Moves through the steps with buttons, with the arrow keys, or automatically. */
export function Stepper({ at, count, onStep }: StepperProps): VNode {
  const t = useTexts().experiments;
  const [playing, setPlaying] = useState(false);
  const last = count - 1;
  const to = (index: number) => {
    onStep(Math.max(0, Math.min(last, index)));
  };
  // A layout effect, so that a key that is pressed right after a step continues from the new step.
  useLayoutEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      const busy = event.target instanceof Element && event.target.closest(OWN_KEYS) !== null;
      if (busy || event.ctrlKey || event.altKey || event.metaKey || event.shiftKey) return;
      const next = { ArrowLeft: at - 1, ArrowRight: at + 1, Home: 0, End: last }[event.key];
      if (next === undefined) return;
      event.preventDefault();
      setPlaying(false);
      to(next);
    };
    window.addEventListener('keydown', onKey);
    return () => {
      window.removeEventListener('keydown', onKey);
    };
  }, [at, last]);
  useEffect(() => {
    if (!playing) return undefined;
    if (at >= last) {
      setPlaying(false);
      return undefined;
    }
    const timer = setTimeout(() => {
      to(at + 1);
    }, PLAY_MS);
    return () => {
      clearTimeout(timer);
    };
  }, [playing, at, last]);
  const button = (name: 'first' | 'previous' | 'next' | 'last', index: number, off: boolean) => html`
    <button
      class="tool"
      type="button"
      aria-label=${t[name]}
      title=${t[name]}
      aria-disabled=${off}
      onClick=${() => {
        setPlaying(false);
        to(index);
      }}
    >${part(Icon, { name })}</button>
  `;
  return html`
    <div class="stepper" role="group" aria-label=${t.steps}>
      ${button('first', 0, at <= 0)}
      ${button('previous', at - 1, at <= 0)}
      <button
        class="tool"
        type="button"
        aria-label=${playing ? t.pause : t.play}
        title=${playing ? t.pause : t.play}
        onClick=${() => {
          if (!playing && at >= last) to(0);
          setPlaying(!playing);
        }}
      >${part(Icon, { name: playing ? 'pause' : 'play' })}</button>
      ${button('next', at + 1, at >= last)}
      ${button('last', last, at >= last)}
      <span class="count" role="status">${t.step(at + 1, count)}</span>
      <span class="quiet keys">${t.keys}</span>
    </div>
  `;
}
