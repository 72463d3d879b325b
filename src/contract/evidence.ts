import type { Audit } from './audit.js';
import type { Expectation, Finding } from './verdict.js';

export interface Actor {
  readonly id: string;
  readonly kind: 'client' | 'instance' | 'redis' | 'mysql' | 'lab' | 'other';
  readonly label: string;
}

export type StepKind = 'request' | 'answer' | 'checkpoint' | 'fault' | 'query' | 'note';

export interface Step {
  /** Only while the experiment runs: recorded evidence has the order of the steps but not their times. */
  readonly atMs?: number;
  readonly actor: string;
  readonly to?: string;
  readonly kind: StepKind;
  readonly text: string;
  readonly source?: SourceLine;
}

/** A source line of the service that a request reached. */
export interface SourceLine {
  readonly file: string;
  /** The function or method. A line number would change with every edit above it. */
  readonly symbol?: string;
  readonly code: string;
}

/** The faults that `src/lab/faults` can cause and prove. */
export type ProvenFault =
  | 'pause'
  | 'crash'
  | 'database-kill'
  | 'failover'
  | 'stale-replica'
  | 'empty-restart'
  | 'power-cut'
  | 'clock-jump'
  | 'eviction'
  | 'lost-reply'
  | 'latency'
  | 'lost-message'
  | 'delayed-subscribe';

/** An observation: that a fault fired, or that the experiment took its course. */
export interface Proof {
  readonly of: 'fault' | 'course';
  readonly fault?: ProvenFault;
  readonly what: string;
  readonly seen: string;
  readonly ok: boolean;
}

/** The interleaving that an experiment is about, and the events that happened. */
export interface EventOrder {
  readonly expected: readonly string[];
  readonly seen: readonly string[];
  readonly ok: boolean;
}

/** A row of a table, as the database had it in the end. */
export type TableRow = Readonly<Record<string, unknown>>;

/** The result of one run of an experiment. The matrix is built from evidence only. */
export interface Evidence {
  readonly id: string;
  readonly title: string;
  readonly claims: readonly string[];
  readonly strategy: string;
  readonly fault: string;
  readonly twinOf?: string;
  readonly expected: Expectation;
  readonly verdict: Finding;
  readonly ok: boolean;
  readonly why: string;
  readonly actors: readonly Actor[];
  readonly steps: readonly Step[];
  readonly proofs: readonly Proof[];
  readonly order: EventOrder;
  readonly rows: { readonly goods: TableRow; readonly orders: readonly TableRow[] };
  readonly audit: Omit<Audit, 'runId'>;
}
