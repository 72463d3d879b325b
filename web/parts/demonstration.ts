import { type VNode } from 'preact';
import { startRun } from '../client/runs.js';
import { type Lane, lanesOf } from '../display/lanes.js';
import { connection } from '../state/connection.js';
import { useTexts } from '../state/language.js';
import { address, amend, route } from '../state/route.js';
import { useStore } from '../state/store.js';
import { withToken } from '../state/token.js';
import { useAction } from '../state/use-action.js';
import { useRun } from '../state/use-run.js';
import { Icon } from './icon.js';
import { html, part } from './markup.js';
import { RunTrouble } from './run-form.js';
import { Shelf } from './shelf.js';

const RUN = { strategies: ['no-lock', 'for-update'], stock: 100, buyers: 50, requests: 200 } as const;
const [WITHOUT, WITH] = RUN.strategies;

/** One press: the same crowd buys without a lock, then with one. Its run is in the address, so a reload shows it again. */
export function Demonstration(): VNode {
  const t = useTexts().home;
  const { state } = useStore(connection);
  const run = useStore(route)?.query.get('demo') ?? undefined;
  const press = useAction(async () => {
    const { id } = await withToken((token) => startRun(RUN, token));
    amend(address('home', undefined, { demo: id }));
  });
  return html`
    <section class="demo" aria-label=${t.press}>
      <div class="demo-head">
        <button
          class="primary large"
          disabled=${state === 'lost' || state === 'absent'}
          aria-disabled=${press.busy}
          onClick=${press.start}
        >${part(Icon, { name: 'play' })}${press.busy ? t.pressing : run === undefined ? t.press : t.pressAgain}</button>
        <p class="quiet">${t.about(RUN.buyers, RUN.requests)}</p>
      </div>
      ${part(RunTrouble, { error: press.error })}
      ${run === undefined ? shelves(() => undefined) : part(LiveShelves, { key: run, run })}
    </section>
  `;
}

function LiveShelves({ run }: { readonly run: string }): VNode {
  const { value } = useRun(run);
  const lanes = value ? lanesOf(value) : [];
  return shelves((name) => lanes.find(({ strategy }) => strategy === name));
}

function shelves(laneOf: (strategy: string) => Lane | undefined): VNode {
  return html`
    <div class="shelves">
      ${part(Shelf, { side: 'without', stock: RUN.stock, lane: laneOf(WITHOUT) })}
      ${part(Shelf, { side: 'with', stock: RUN.stock, lane: laneOf(WITH) })}
    </div>
  `;
}
