import { call } from './http.js';
import { follow } from './stream.js';
import { type Audit, type Verdict } from './verdict.js';

export interface RunConfig {
  readonly strategies: readonly string[];
  readonly stock: number;
  readonly buyers: number;
  readonly requests: number;
  readonly instances?: number;
}

export const OUTCOMES = ['sold', 'soldOut', 'refused', 'unknown'] as const;
export type Outcomes = Readonly<Record<(typeof OUTCOMES)[number], number>>;

export interface Sample {
  readonly strategy: string;
  /** Milliseconds since this strategy began. */
  readonly t: number;
  readonly stock: number;
  readonly sold: number;
  readonly soldPerSecond: number;
  readonly p50: number;
  readonly p95: number;
  readonly p99: number;
  readonly outcomes: Outcomes;
  readonly perInstance: Readonly<Record<string, number>>;
}

export interface Result {
  readonly strategy: string;
  readonly verdict: Verdict;
  readonly oversoldBy: number;
  /** Sales per second. */
  readonly throughput: number;
  readonly p50: number;
  readonly p95: number;
  readonly p99: number;
  /** Whether the verdict is as good as the strategy promised. */
  readonly kept: boolean;
  readonly audit?: Audit;
  readonly outcomes?: Outcomes;
  readonly perInstance?: Readonly<Record<string, number>>;
}

export interface Run {
  readonly id: string;
  readonly startedAt: string;
  readonly state: 'running' | 'done' | 'stopped' | 'failed';
  readonly config: RunConfig;
  readonly results: readonly Result[];
  /** Why it failed. */
  readonly error?: string;
}

export interface FullRun extends Run {
  readonly samples: Readonly<Record<string, readonly Sample[]>>;
}

const path = (id: string) => `/lab/runs/${encodeURIComponent(id)}`;

export const listRuns = (signal?: AbortSignal) => call('/lab/runs', { signal }) as Promise<readonly Run[]>;
export const readRun = (id: string, signal?: AbortSignal) => call(path(id), { signal }) as Promise<FullRun>;

export const startRun = (config: RunConfig, token: string) =>
  call('/lab/runs', { body: config, token }) as Promise<{ readonly id: string }>;
export const stopRun = (id: string, token: string) => call(`${path(id)}/stop`, { body: {}, token });

export interface RunListener {
  readonly sample: (sample: Sample) => void;
  readonly result: (result: Result) => void;
  readonly end: () => void;
}

export function followRun(id: string, { sample, result, end }: RunListener): () => void {
  const close = follow(`${path(id)}/stream`, {
    history: true,
    on: {
      sample: (data) => {
        sample(data as Sample);
      },
      result: (data) => {
        result(data as Result);
      },
      end: () => {
        close();
        end();
      },
    },
  });
  return close;
}
