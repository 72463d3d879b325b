import { call } from './http.js';
import { follow } from './stream.js';
import { type Audit, type Verdict } from './verdict.js';

/** A cell of the matrix may only say whether the strategy breaks, and not how. */
export type Expectation = Verdict | 'breaks' | 'holds';

export interface Experiment {
  readonly id: string;
  readonly title: string;
  readonly claims: readonly string[];
  readonly strategy: string;
  readonly fault: string;
  readonly expected: Expectation;
  /** The experiment with the fault, of which this is the same without it. */
  readonly twinOf?: string;
  /** Why it cannot be run here, in sentences. */
  readonly needs: readonly string[];
  readonly last?: {
    readonly ok: boolean;
    readonly verdict: Verdict;
    readonly at: string;
    readonly durationMs: number;
  };
}

export interface Actor {
  readonly id: string;
  readonly kind: 'client' | 'instance' | 'redis' | 'mysql' | 'lab' | 'other';
  readonly label: string;
  readonly pid?: number;
}

export interface Step {
  readonly n: number;
  readonly atMs: number;
  readonly actor: string;
  readonly to?: string;
  readonly kind: 'request' | 'answer' | 'checkpoint' | 'fault' | 'query' | 'note';
  readonly text: string;
  readonly source?: { readonly file: string; readonly line: number; readonly code: string };
}

export interface Proof {
  readonly of: 'fault' | 'course';
  readonly what: string;
  readonly seen: string;
  readonly ok: boolean;
}

type Row = Readonly<Record<string, unknown>>;

export interface Evidence {
  readonly id: string;
  readonly title: string;
  readonly claims: readonly string[];
  readonly strategy: string;
  readonly fault: string;
  readonly twinOf?: string;
  readonly startedAt: string;
  readonly durationMs: number;
  readonly expected: Expectation;
  readonly verdict: Verdict;
  readonly ok: boolean;
  readonly why: string;
  readonly actors: readonly Actor[];
  readonly steps: readonly Step[];
  readonly proofs: readonly Proof[];
  readonly order: {
    readonly expected: readonly string[];
    readonly seen: readonly string[];
    readonly ok: boolean;
  };
  readonly rows: { readonly goods: Row; readonly orders: readonly Row[] };
  readonly audit: Audit;
}

export type Letter = 'S' | 'U' | 'L' | 'D' | 'A';

export type Cell =
  | { readonly verdict: Letter; readonly experiment: string; readonly ok: boolean }
  | { readonly notApplicable: string }
  | { readonly notRun: string };

export interface Matrix {
  readonly faults: readonly { readonly id: string; readonly title: string }[];
  readonly rows: readonly { readonly strategy: string; readonly cells: Readonly<Record<string, Cell>> }[];
}

const path = (id: string) => `/lab/experiments/${encodeURIComponent(id)}`;

export const listExperiments = (signal?: AbortSignal) =>
  call('/lab/experiments', { signal }) as Promise<readonly Experiment[]>;
export const readMatrix = (signal?: AbortSignal) => call('/lab/matrix', { signal }) as Promise<Matrix>;
export const readEvidence = (id: string, signal?: AbortSignal) =>
  call(path(id), { signal }) as Promise<Evidence>;
export const startExperiment = (id: string, token: string) => call(`${path(id)}/runs`, { body: {}, token });

/** How an experiment ended: without a verdict when it could not be carried out. */
export interface ExperimentEnd {
  readonly ok: boolean;
  readonly verdict?: Verdict;
  readonly why: string;
}

export interface ExperimentListener {
  readonly step: (step: Step) => void;
  readonly proof: (proof: Proof) => void;
  readonly end: (end: ExperimentEnd) => void;
}

export function followExperiment(id: string, { step, proof, end }: ExperimentListener): () => void {
  const close = follow(`${path(id)}/stream`, {
    history: true,
    on: {
      step: (data) => {
        step(data as Step);
      },
      proof: (data) => {
        proof(data as Proof);
      },
      end: (data) => {
        close();
        end(data as ExperimentEnd);
      },
    },
  });
  return close;
}
