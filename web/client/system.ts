import { call, Failure } from './http.js';
import { Store } from '../core/store.js';
import { follow } from './stream.js';

export type ProcessState = 'up' | 'down' | 'starting';

export interface ProcessInfo {
  readonly name: string;
  readonly pid: number | null;
  readonly state: ProcessState;
  readonly restarts: number;
}

export interface HeldLock {
  readonly kind: string;
  readonly key: string;
  readonly owner: string;
  readonly token: string | null;
  readonly ttlMs: number | null;
  readonly waiters: number | null;
}

export interface System {
  readonly version: string;
  readonly startedAt: string;
  readonly instances: readonly ProcessInfo[];
  readonly engines: readonly ProcessInfo[];
  readonly pools: readonly {
    readonly instance: string;
    readonly limit: number;
    readonly inUse: number;
    readonly waiting: number;
  }[];
  readonly locks: readonly HeldLock[];
  readonly streamLag: number | null;
}

/** `absent`: the service runs without a lab, as under Docker Compose; there is a catalogue, and nothing to run. */
export interface Connection {
  readonly state: 'connecting' | 'up' | 'lost' | 'absent';
  readonly system: System | undefined;
  /** Counts how often the lab came back: what was read before is stale. */
  readonly epoch: number;
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
  return follow('/lab/system/stream', {
    history: false,
    on: {
      system: (data) => {
        const { state, epoch } = connection.value;
        const back = state === 'lost' || state === 'absent';
        connection.set({ state: 'up', system: data as System, epoch: back ? epoch + 1 : epoch });
      },
    },
    onState: (state) => {
      if (state === 'lost') void lost();
    },
  });
}

async function lost(): Promise<void> {
  const { system, epoch } = connection.value;
  const status = await call('/lab/system').then(
    () => 200,
    (error: unknown) => (error instanceof Failure ? error.status : 0),
  );
  // It may only have been the stream that broke; that is mended by itself.
  if (status === 200) return;
  connection.set({ state: status === 404 ? 'absent' : 'lost', system, epoch });
}
