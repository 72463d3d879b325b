import { type VNode } from 'preact';
import { type Connection, connection } from '../state/connection.js';
import { useTexts } from '../state/language.js';
import { address } from '../state/route.js';
import { useStore } from '../state/store.js';
import { type Texts } from '../texts/en.js';
import { html } from './markup.js';

/** The state of the lab in a few words, on every view. */
export function LabPill(): VNode {
  const t = useTexts();
  const [tone, text] = describe(t, useStore(connection));
  return html`<a class="lab-pill ${tone}" href=${address('system')} title=${text}><i></i><span>${text}</span></a>`;
}

function describe({ lab }: Texts, { state, system }: Connection): readonly [string, string] {
  if (state === 'lost') return ['bad', lab.lost];
  if (state === 'absent') return ['calm', lab.absent];
  if (!system) return ['calm', lab.connecting];
  const all = system.instances.length;
  const up = system.instances.filter((instance) => instance.state === 'up').length;
  if (up < all) return ['warn', lab.partly(up, all)];
  const down = system.engines.filter((engine) => engine.state !== 'up').length;
  return down > 0 ? ['warn', lab.serversDown(down)] : ['good', lab.up(up)];
}
