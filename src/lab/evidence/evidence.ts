import { type Audit } from '../../goods/audit.js';
import { type Verdict } from '../../goods/verdict.js';

/** A strategy that keeps its stock and serves nobody while the fault lasts is BLOCKED: safe, but at a price. */
export type Finding = Verdict | 'BLOCKED';

export interface Actor {
  readonly id: string;
  readonly kind: 'client' | 'instance' | 'redis' | 'mysql' | 'lab' | 'other';
  readonly label: string;
  readonly pid?: number;
}

export type StepKind = 'request' | 'answer' | 'checkpoint' | 'fault' | 'query' | 'note';

export interface Step {
  readonly n: number;
  readonly atMs: number;
  readonly actor: string;
  readonly to?: string;
  readonly kind: StepKind;
  readonly text: string;
  readonly source?: Source;
}

/** A line of the service, as it stood when the buyer came past. */
export interface Source {
  readonly file: string;
  readonly line: number;
  readonly code: string;
}

/** What `../faults` can bring about and prove. */
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

/** Something that was looked at: that a fault has fired, or that everything else went as the experiment says. */
export interface Proof {
  readonly of: 'fault' | 'course';
  readonly fault?: ProvenFault;
  readonly what: string;
  readonly seen: string;
  readonly ok: boolean;
}

/** Everything that one run of an experiment has shown. The page draws it; the matrix is built from nothing else. */
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
  readonly verdict: Finding;
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
  readonly rows: { readonly goods: object; readonly orders: readonly object[] };
  readonly audit: Omit<Audit, 'runId'>;
}

/** One finding, or for a cell of the matrix only whether the strategy breaks. */
export type Expectation = Finding | 'breaks' | 'holds';

const HARMLESS: readonly Finding[] = ['SAFE', 'BLOCKED'];

export function breaks(finding: Finding): boolean {
  return !HARMLESS.includes(finding);
}

export function meets(finding: Finding, expected: Expectation): boolean {
  if (expected === 'breaks') return breaks(finding);
  if (expected === 'holds') return !breaks(finding);
  return finding === expected;
}
