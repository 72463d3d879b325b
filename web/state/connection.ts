import { type SystemView } from '../../src/contract/lab-system.js';
import { Failure } from '../client/http.js';
import { followSystem, readSystem } from '../client/system.js';
import { Store } from './store.js';

/** `absent`: the service runs without a lab, as under Docker Compose; there is a catalogue, and nothing to run. */
export interface Connection {
  readonly state: 'connecting' | 'up' | 'lost' | 'absent';
  readonly system: SystemView | undefined;
  /** Counts how often the lab came back: what was read before is stale. */
  readonly epoch: number;
  /** The lab sent something that this page does not understand. */
  readonly failure?: Failure;
}

export const connection = new Store<Connection>({ state: 'connecting', system: undefined, epoch: 0 });

/** Watches the lab while the page is looked at: a hidden tab need not hold one of a browser's few connections. */
export function watchLab(): void {
  let close: (() => void) | undefined;
  const update = () => {
    close?.();
    close = document.hidden ? undefined : open();
  };
  document.addEventListener('visibilitychange', update);
  // A page that is being left should not take its closing streams for a lab that went away.
  window.addEventListener('pagehide', () => close?.());
  update();
}

function open(): () => void {
  return followSystem({
    system: (system) => {
      const { state, epoch } = connection.value;
      const back = state === 'lost' || state === 'absent';
      connection.set({ state: 'up', system, epoch: back ? epoch + 1 : epoch });
    },
    lost: () => void lost(),
    failed: (failure) => {
      connection.set({ ...connection.value, state: 'lost', failure });
    },
  });
}

async function lost(): Promise<void> {
  const { system, epoch } = connection.value;
  const status = await readSystem().then(
    () => 200,
    (error: unknown) => (error instanceof Failure ? error.status : 0),
  );
  // It may only have been the stream that broke; that is mended by itself.
  if (status === 200) return;
  connection.set({ state: status === 404 ? 'absent' : 'lost', system, epoch });
}
