import type { Audit } from './audit.js';
import type { Guarantee } from './strategy.js';
import type { Verdict } from './verdict.js';

/** The body of `POST /lab/runs`. */
export interface RunConfig {
  readonly strategies: readonly string[];
  readonly stock: number;
  readonly buyers: number;
  readonly requests: number;
  /** How many instances serve the run: the first ones. All of them when it is absent. */
  readonly instances?: number | undefined;
}

/** What a client knows of a purchase: it was made, it was not, or its outcome is unknown. */
export const OUTCOMES = ['sold', 'soldOut', 'refused', 'unknown'] as const;
export type Outcome = (typeof OUTCOMES)[number];
export type Outcomes = Readonly<Record<Outcome, number>>;

/** A run at one moment. Counts are since its start; rate and latencies since the sample before. */
export interface Sample {
  readonly strategy: string;
  /** Milliseconds since the first request of this strategy. */
  readonly t: number;
  /** The smallest stock that a receipt has named: answers overtake each other. */
  readonly stock: number;
  readonly sold: number;
  readonly soldPerSecond: number;
  readonly p50: number;
  readonly p95: number;
  readonly p99: number;
  readonly outcomes: Outcomes;
  readonly perInstance: Readonly<Record<string, number>>;
}

export interface Percentile {
  readonly percentile: number;
  readonly ms: number;
}

export interface Spread {
  readonly mean: number;
  readonly p50: number;
  readonly p95: number;
  readonly p99: number;
  readonly max: number;
}

/** How evenly the buyers were served. */
export interface Fairness {
  /** Jain's index of sales per buyer: 1 when all got the same, 1/n when one got everything. */
  readonly sales: number;
  /** The same index of the mean time that a purchase took each buyer. */
  readonly waiting: number;
  /** Purchases of the buyer with the fewest, as a share of the mean: 1 is even, 0 is starved. */
  readonly slowestShare: number;
}

/** The receipts of all buyers, compared with the ledger. */
export interface ReceiptReconciliation {
  /** Sales that buyers have a receipt for. */
  readonly acknowledged: number;
  readonly inLedger: number;
  /** Receipts for orders that the ledger does not have. */
  readonly missing: number;
  /** Receipts for an order that another buyer also has a receipt for. */
  readonly repeated: number;
  /** Orders without a receipt, beyond the number of purchases with an unknown outcome. */
  readonly unexplained: number;
  /** Orders without a receipt that a purchase with an unknown outcome explains. */
  readonly boughtUnawares: number;
  readonly ok: boolean;
}

/** What was measured while one strategy was under load. */
export interface LoadMeasurements {
  readonly durationMs: number;
  readonly outcomes: Outcomes;
  /** Sales per second, until the last one. */
  readonly throughput: number;
  /** Purchases with any outcome, per second. */
  readonly answersPerSecond: number;
  readonly p50: number;
  readonly p95: number;
  readonly p99: number;
  /** Of the time that a purchase took its buyer, retries included. */
  readonly percentiles: readonly Percentile[];
  readonly perInstance: Readonly<Record<string, number>>;
  /** Attempts inside the service, as the receipts say; and how often a buyer was asked to retry. */
  readonly attempts: { readonly mean: number; readonly max: number; readonly comebacks: number };
  /** Milliseconds that sales waited for their lock, as the receipts say. */
  readonly waits: Spread;
  readonly fairness: Fairness;
  /** Why purchases were refused or have an unknown outcome, by type. */
  readonly problems: Readonly<Record<string, number>>;
}

/** One strategy under one load, measured and judged. */
export interface LoadResult extends LoadMeasurements {
  readonly strategy: string;
  readonly promise: Guarantee;
  readonly verdict: Verdict;
  readonly oversoldBy: number;
  /** Whether the verdict is as good as the strategy promised. */
  readonly kept: boolean;
  readonly explanation: string;
  /** The load was stopped before all purchases were made. */
  readonly stopped: boolean;
  /** From the last answer until the ledger had everything. */
  readonly drainMs: number;
  readonly audit: Audit;
  readonly books: ReceiptReconciliation;
}

/** The answer to `GET /lab/runs/:id`. */
export interface RunRecord {
  readonly id: string;
  readonly startedAt: string;
  readonly state: 'running' | 'done' | 'stopped' | 'failed';
  readonly config: RunConfig;
  readonly results: readonly LoadResult[];
  readonly samples: Readonly<Record<string, readonly Sample[]>>;
  /** Why it failed. */
  readonly error?: string;
}

/** One entry of `GET /lab/runs`. */
export interface RunSummary extends Pick<RunRecord, 'id' | 'startedAt' | 'state' | 'config' | 'error'> {
  readonly results: readonly ResultSummary[];
}

export type ResultSummary = Pick<
  LoadResult,
  'strategy' | 'verdict' | 'kept' | 'oversoldBy' | 'throughput' | 'p50' | 'p95' | 'p99'
>;

/** The events of `GET /lab/runs/:id/stream`, by name. */
export interface RunEvents {
  readonly sample: Sample;
  readonly result: LoadResult;
  readonly end: Pick<RunRecord, 'id' | 'state' | 'error'>;
}
