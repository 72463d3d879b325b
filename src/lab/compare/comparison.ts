import { type Fairness, type Spread } from '../../contract/lab-runs.js';
import { type Guarantee } from '../../contract/strategy.js';
import { type Verdict } from '../../contract/verdict.js';
import { type Machine } from './machine.js';

/** Everything that a comparison found: the content of compare.json. */
export interface Comparison {
  readonly format: 1;
  readonly command: string;
  readonly startedAt: string;
  readonly durationMs: number;
  /** False when it was stopped before the end. */
  readonly complete: boolean;
  readonly machine: Machine;
  readonly loads: {
    /** Few pieces, many buyers: does it sell what is not there? */
    readonly verdict: ComparedLoad;
    /** So much stock that nearly every answer is a sale: how fast is it? */
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

/** The rounds of one strategy on so many instances, added up. */
export interface Speed {
  readonly instances: number;
  /** Sales per second. */
  readonly throughput: number;
  /** The same of each round: how far they lie apart is how far to trust them. */
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
  /** Throughput as a share of `sql-atomic` and of the no-op POST on as many instances. */
  readonly toSqlAtomic?: number;
  readonly toNoop?: number;
  /** Tries inside the service per sale. */
  readonly attempts: number;
  /** Retries per sale. */
  readonly comebacks: number;
  readonly refused: number;
  readonly unknown: number;
  /** Milliseconds that sales waited for their lock. */
  readonly waits: Spread;
  readonly fairness: Fairness;
  /** From the last answer until the ledger had everything, in the slowest round. */
  readonly drainMs: number;
}
