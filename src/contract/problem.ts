/** The stable `type`s of the service's problem documents (RFC 9457). Clients branch on them. */
export const PROBLEM_TYPES = [
  'invalid-request',
  'unauthorized',
  'forbidden',
  'unknown-goods',
  'unknown-strategy',
  'unknown-order',
  'sold-out',
  'order-refused',
  'run-ended',
  'idempotency-conflict',
  'too-many-requests',
  'client-gone',
  'lock-timeout',
  'lock-lost',
  'busy',
  'engine-unavailable',
  'outcome-unknown',
] as const;
export type ProblemType = (typeof PROBLEM_TYPES)[number];

/** Types that only the lab API uses. It uses those of the service as well. */
export const LAB_PROBLEM_TYPES = [
  'unknown-run',
  'unknown-experiment',
  'no-evidence',
  'run-in-progress',
  'unknown-session',
  'too-many-sessions',
  'move-not-possible',
  'session-busy',
  'session-closed',
] as const;
export type LabProblemType = (typeof LAB_PROBLEM_TYPES)[number];

/** `about:blank`: the problem is only an HTTP status. */
export type AnyProblemType = ProblemType | LabProblemType | 'about:blank';

/** An answer that is an error, as application/problem+json. */
export interface Problem {
  readonly type: AnyProblemType;
  readonly title: string;
  readonly status: number;
  readonly detail?: string;
  readonly [member: string]: unknown;
}
