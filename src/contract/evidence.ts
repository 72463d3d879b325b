import type { Audit } from './audit.js';
import type { Expectation, Finding } from './verdict.js';

export interface Actor {
  readonly id: string;
  readonly kind: 'client' | 'instance' | 'redis' | 'mysql' | 'etcd' | 'zookeeper' | 'lab' | 'other';
  readonly label: string;
}

/**
 * `query` is one command to a server. `reply` is the answer to a command that had to wait: something else happened in
 * between. `time` is an end of a lease.
 */
export type StepKind = 'request' | 'answer' | 'checkpoint' | 'fault' | 'query' | 'reply' | 'time' | 'note';

export interface Step {
  /** Only while the experiment runs: recorded evidence has the order of the steps but not their times. */
  readonly atMs?: number;
  readonly actor: string;
  readonly to?: string;
  readonly kind: StepKind;
  /** A command has its values in their places. */
  readonly text: string;
  /** What the server returned, such as `inventory 1` or `granted, token 7`. Absent while the command waits. */
  readonly answer?: string;
  /** The line that sent the command, or where the request is held. */
  readonly source?: SourceLine;
  /** What is stored after the step. Absent when it is the same as after the step before. */
  readonly after?: StoredState;
}

/** What the servers have stored, as far as the steps tell: a member is absent while it is unknown. */
export interface StoredState {
  /** Of the goods' row in MySQL, as committed. */
  readonly inventory?: number;
  /** Units in committed orders. */
  readonly sold?: number;
  /** What Redis says is left, where it counts the stock. */
  readonly redisStock?: number;
  readonly locks?: readonly StoredLock[];
}

export interface StoredLock {
  /** The buyer that holds it. */
  readonly holder: string;
  /** The server that keeps it: the id of an actor. */
  readonly at: string;
  /** The lease that it was granted with. Absent for a lock that does not expire. */
  readonly leaseMs?: number;
}

/** A source line of the service. */
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
