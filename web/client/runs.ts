import {
  type LoadResult,
  type RunConfig,
  type RunEvents,
  type RunRecord,
  type RunSummary,
  type Sample,
} from '../../src/contract/lab-runs.js';
import { list, object } from './guards.js';
import { call, type Failure } from './http.js';
import { follow } from './stream.js';

const isSummary = object<RunSummary>({
  id: 'string',
  startedAt: 'string',
  state: 'string',
  config: 'object',
  results: 'array',
});
const isRecord = object<RunRecord>({
  id: 'string',
  startedAt: 'string',
  state: 'string',
  config: 'object',
  results: 'array',
  samples: 'object',
});
const isStarted = object<Pick<RunRecord, 'id'>>({ id: 'string' });
const isSample = object<Sample>({ strategy: 'string', t: 'number', stock: 'number', outcomes: 'object' });
const isResult = object<LoadResult>({ strategy: 'string', verdict: 'string', audit: 'object' });
const isEnd = object<RunEvents['end']>({ id: 'string', state: 'string' });

const path = (id: string) => `/lab/runs/${encodeURIComponent(id)}`;

export const listRuns = (signal?: AbortSignal) => call('/lab/runs', list(isSummary), { signal });
export const readRun = (id: string, signal?: AbortSignal) => call(path(id), isRecord, { signal });
export const startRun = (config: RunConfig, token: string) =>
  call('/lab/runs', isStarted, { body: config, token });
export const stopRun = (id: string, token: string) =>
  call(`${path(id)}/stop`, isStarted, { body: {}, token });

export interface RunListener {
  readonly sample: (sample: Sample) => void;
  readonly result: (result: LoadResult) => void;
  readonly end: () => void;
  readonly failed: (failure: Failure) => void;
}

export function followRun(id: string, { sample, result, end, failed }: RunListener): () => void {
  const close = follow<RunEvents>(`${path(id)}/stream`, {
    history: true,
    onFailure: failed,
    on: {
      sample: { guard: isSample, heard: sample },
      result: { guard: isResult, heard: result },
      end: {
        guard: isEnd,
        heard: () => {
          close();
          end();
        },
      },
    },
  });
  return close;
}
