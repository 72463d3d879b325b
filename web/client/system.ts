import { call } from './http.js';
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

export const readSystem = () => call('/lab/system') as Promise<System>;

export interface SystemListener {
  readonly system: (system: System) => void;
  readonly lost: () => void;
}

/** Once a second, for as long as it is followed. */
export function followSystem({ system, lost }: SystemListener): () => void {
  return follow('/lab/system/stream', {
    history: false,
    on: {
      system: (data) => {
        system(data as System);
      },
    },
    onState: (state) => {
      if (state === 'lost') lost();
    },
  });
}
