import { type SystemEvents, type SystemView } from '../../src/contract/lab-system.js';
import { object } from './guards.js';
import { call, type Failure } from './http.js';
import { follow } from './stream.js';

const isSystem = object<SystemView>({
  version: 'string',
  startedAt: 'string',
  instances: 'array',
  engines: 'array',
  pools: 'array',
  locks: 'array',
});

export const readSystem = () => call('/lab/system', isSystem);

export interface SystemListener {
  readonly system: (system: SystemView) => void;
  readonly lost: () => void;
  readonly failed: (failure: Failure) => void;
}

/** The lab sends its state once a second. */
export function followSystem({ system, lost, failed }: SystemListener): () => void {
  return follow<SystemEvents>('/lab/system/stream', {
    history: false,
    onFailure: failed,
    onLost: lost,
    on: { system: { guard: isSystem, heard: system } },
  });
}
