import { type Fairness, type Spread } from '../../contract/lab-runs.js';
import { type Guarantee } from '../../contract/strategy.js';
import { type Verdict } from '../../contract/verdict.js';
import { type Machine } from './machine.js';

/** The result of a comparison: the content of compare.json. */
export interface Comparison {
  readonly format: 1;
  readonly command: string;
  readonly startedAt: string;
  readonly durationMs: number;
  /** False when it was stopped before the end. */
  readonly complete: boolean;
  readonly machine: Machine;
  readonly loads: {
    /** Little stock, many buyers: does the strategy oversell? */
    readonly verdict: ComparedLoad;
    /** So much stock that nearly every answer is a sale: how fast is the strategy? */
    readonly speed: ComparedLoad & { readonly seconds: number; readonly rounds: number };
  };
  /** A POST that is validated and answered and sells nothing: what HTTP alone costs. */
  readonly noop: readonly Speed[];
  readonly results: readonly ComparedStrategy[];
}

export interface ComparedLoad {
  readonly stock: number;
  readonly buyers: number;
  readonly requests?: number;
}

/** All rounds of one strategy with one number of instances. */
export interface Speed {
  readonly instances: number;
  /** Sales per second. */
  readonly throughput: number;
  /** Sales per second of each round: the spread shows how reliable the mean is. */
  readonly rounds: readonly number[];
  /** Of the time from the first request of a purchase to its outcome, in ms. */
  readonly p50: number;
  readonly p95: number;
  readonly p99: number;
}

export interface ComparedStrategy extends Speed {
  readonly strategy: string;
  readonly title: string;
  readonly family: string;
  readonly promise: Guarantee;
  readonly verdict: Verdict;
  readonly kept: boolean;
  readonly explanation: string;
  /** In the run for the verdict. */
  readonly sold: number;
  readonly oversoldBy: number;
  /** Throughput relative to `sql-atomic` and to the no-op POST with the same number of instances. */
  readonly toSqlAtomic?: number;
  readonly toNoop?: number;
  /** Attempts inside the service per sale. */
  readonly attempts: number;
  /** Retries of the clients per sale. */
  readonly comebacks: number;
  readonly refused: number;
  readonly unknown: number;
  /** Milliseconds that sales waited for their lock. */
  readonly waits: Spread;
  readonly fairness: Fairness;
  /** From the last answer until nothing was in flight, in the slowest round. */
  readonly drainMs: number;
}
