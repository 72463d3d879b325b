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

/** A button that sells without a lock, then with one. The address contains the run, so a reload shows it again. */
export function Demonstration(): VNode {
  const id = useStore(route)?.query.get('demo') ?? undefined;
  return id === undefined
    ? part(Sale, { lanes: undefined, selling: false })
    : part(LiveSale, { key: id, id });
}

function LiveSale({ id }: { readonly id: string }): VNode {
  const { value, error } = useRun(id);
  const selling = value ? value.state === 'running' : error === undefined;
  return part(Sale, { lanes: value ? lanesOf(value) : [], selling });
}

interface SaleProps {
  /** Undefined before the first sale. */
  readonly lanes: readonly Lane[] | undefined;
  readonly selling: boolean;
}

function Sale({ lanes, selling }: SaleProps): VNode {
  const t = useTexts().home;
  const { state } = useStore(connection);
  const press = useAction(async () => {
    const { id } = await withToken((token) => startRun(RUN, token));
    amend(address('home', undefined, { demo: id }));
  });
  const busy = press.busy || selling;
  const laneOf = (name: string) => lanes?.find(({ strategy }) => strategy === name);
  return html`
    <section class="demo" aria-label=${t.press}>
      <div class="demo-head">
        <button
          class="primary large"
          disabled=${state === 'lost' || state === 'absent'}
          aria-disabled=${busy}
          onClick=${busy ? undefined : press.start}
        >${part(Icon, { name: 'play' })}${busy ? t.pressing : lanes ? t.pressAgain : t.press}</button>
        <p class="quiet">${t.about(RUN.buyers, RUN.requests)}</p>
      </div>
      ${part(RunTrouble, { error: press.error })}
      <div class="shelves">
        ${part(Shelf, { side: 'without', stock: RUN.stock, lane: laneOf(WITHOUT) })}
        ${part(Shelf, { side: 'with', stock: RUN.stock, lane: laneOf(WITH) })}
      </div>
    </section>
  `;
}
