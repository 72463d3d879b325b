import { type SystemView } from '../../src/contract/lab-system.js';
import { Failure } from '../client/http.js';
import { followSystem, readSystem } from '../client/system.js';
import { Store } from './store.js';

/** `absent`: the service runs without a lab, as under Docker Compose. The page then shows the catalogue but cannot run anything. */
export interface Connection {
  readonly state: 'connecting' | 'up' | 'lost' | 'absent';
  readonly system: SystemView | undefined;
  /** Counts the reconnects to the lab: data that was read before is stale. */
  readonly epoch: number;
  /** The lab sent data that does not match the contract. */
  readonly failure?: Failure;
}

export const connection = new Store<Connection>({ state: 'connecting', system: undefined, epoch: 0 });

/** Follows the state of the lab while the page is visible: a hidden tab should not use one of a browser's few connections. */
export function watchLab(): void {
  let close: (() => void) | undefined;
  const update = () => {
    close?.();
    close = document.hidden ? undefined : open();
  };
  document.addEventListener('visibilitychange', update);
  // When the user leaves the page, the closing streams must not look like a lab that is down.
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
  // Only the stream broke; it is reopened automatically.
  if (status === 200) return;
  connection.set({ state: status === 404 ? 'absent' : 'lost', system, epoch });
}
