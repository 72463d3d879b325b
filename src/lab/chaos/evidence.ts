import { type Audit } from '../../contract/audit.js';
import { type StrategyMetadata } from '../../contract/strategy.js';
import { type Call } from './history.js';

/** A line of the ledger. */
export interface LedgerRow {
  readonly id: number;
  readonly kind: string;
  readonly runId: number;
  readonly goodsId: number;
  readonly strategy: string;
  readonly quantity: number;
  readonly key: string | null;
  readonly before: number;
  readonly after: number;
  readonly cancels: number | null;
  readonly number: number | null;
  readonly segment: number | null;
  /** The remaining stock on the receipt, where it is not `after`. */
  readonly told: number | null;
}

export interface RunRow {
  readonly id: number;
  readonly goodsId: number;
  readonly initial: number;
}

/** A goods at the end, when nothing is in flight. */
export interface FinalState {
  readonly goodsId: number;
  readonly runId: number;
  /** In the row of `goods`. */
  readonly inventory: number;
  readonly segments: readonly { readonly segment: number; readonly inventory: number }[];
  readonly audit: Pick<Audit, 'verdict' | 'runId' | 'redisRemaining' | 'inFlight'> &
    Partial<Pick<Audit, 'invariants'>>;
}

export interface FaultRecord {
  readonly start: number;
  readonly end: number;
  readonly what: string;
}

export type StrategyPromises = Pick<StrategyMetadata, 'name' | 'safe' | 'stock'>;

/** Everything that the judge needs to know about one round. */
export interface ChaosEvidence {
  readonly calls: readonly Call[];
  /** In the order of their ids. */
  readonly ledger: readonly LedgerRow[];
  readonly runs: readonly RunRow[];
  readonly finals: readonly FinalState[];
  readonly faults: readonly FaultRecord[];
  /** The strategies that are enabled. */
  readonly strategies: readonly StrategyPromises[];
  /** Strategies that did not sell after the faults, although all servers were running again. */
  readonly silent: readonly string[];
}
