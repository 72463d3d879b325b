import { type Evidence, type Proof, type Step } from '../../src/contract/evidence.js';
import {
  type ExperimentEnd,
  type ExperimentEvents,
  type ExperimentView,
  type ReturnedAnswer,
} from '../../src/contract/lab-experiments.js';
import { type Matrix } from '../../src/contract/matrix.js';
import { list, object } from './guards.js';
import { call, type Failure } from './http.js';
import { follow } from './stream.js';

const isExperiment = object<ExperimentView>({
  id: 'string',
  title: 'string',
  strategy: 'string',
  fault: 'string',
  claims: 'array',
  needs: 'array',
});
const isMatrix = object<Matrix>({ faults: 'array', rows: 'array' });
const isEvidence = object<Evidence>({
  id: 'string',
  verdict: 'string',
  actors: 'array',
  steps: 'array',
  proofs: 'array',
  order: 'object',
  rows: 'object',
  audit: 'object',
});
const isStarted = object<Pick<Evidence, 'id'>>({ id: 'string' });
const isStep = object<Step>({ actor: 'string', kind: 'string', text: 'string' });
const isReturned = object<ReturnedAnswer>({ step: 'number', answer: 'string' });
const isProof = object<Proof>({ of: 'string', what: 'string', ok: 'boolean' });
const isEnd = object<ExperimentEnd>({ ok: 'boolean', why: 'string' });

const path = (id: string) => `/lab/experiments/${encodeURIComponent(id)}`;

export const listExperiments = (signal?: AbortSignal) =>
  call('/lab/experiments', list(isExperiment), { signal });
export const readMatrix = (signal?: AbortSignal) => call('/lab/matrix', isMatrix, { signal });
export const readEvidence = (id: string, signal?: AbortSignal) => call(path(id), isEvidence, { signal });
export const startExperiment = (id: string, token: string) =>
  call(`${path(id)}/runs`, isStarted, { body: {}, token });

export interface ExperimentListener {
  readonly step: (step: Step) => void;
  readonly returned: (answer: ReturnedAnswer) => void;
  readonly proof: (proof: Proof) => void;
  readonly end: (end: ExperimentEnd) => void;
  readonly failed: (failure: Failure) => void;
}

export function followExperiment(id: string, listener: ExperimentListener): () => void {
  const { step, returned, proof, end, failed } = listener;
  const close = follow<ExperimentEvents>(`${path(id)}/stream`, {
    history: true,
    onFailure: failed,
    on: {
      step: { guard: isStep, heard: step },
      returned: { guard: isReturned, heard: returned },
      proof: { guard: isProof, heard: proof },
      end: {
        guard: isEnd,
        heard: (event) => {
          close();
          end(event);
        },
      },
    },
  });
  return close;
}
