import { type VNode } from 'preact';
import { html, part } from '../core/markup.js';
import { useTexts } from '../core/language.js';
import { type Lane, lanesOf } from '../core/lanes.js';
import { address, amend, route } from '../core/route.js';
import { useStore } from '../core/store.js';
import { useAction } from '../core/use-action.js';
import { useRun } from '../core/use-run.js';
import { startRun } from '../client/runs.js';
import { connection } from '../client/system.js';
import { Icon } from './icon.js';
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
    const { id } = await startRun(RUN);
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
