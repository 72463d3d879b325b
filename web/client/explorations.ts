import { type ExplorationRecord, type ExplorationResult } from '../../src/contract/exploration.js';
import { list, object } from './guards.js';
import { call } from './http.js';

const isResult = object<ExplorationResult>({
  id: 'string',
  strategy: 'string',
  fault: 'string',
  schedules: 'object',
  verdicts: 'object',
  broken: 'boolean',
});
const isRecord = object<ExplorationRecord>({ id: 'string', schedules: 'object', verdicts: 'object' });

export const listExplorations = (signal?: AbortSignal) =>
  call('/lab/explorations', list(isResult), { signal });
export const readExploration = (id: string, signal?: AbortSignal) =>
  call(`/lab/explorations/${encodeURIComponent(id)}`, isRecord, { signal });
