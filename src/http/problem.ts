import { STATUS_CODES } from 'node:http';
import { type FastifyReply } from 'fastify';
import { type AnyProblemType, type Problem, type ProblemType } from '../contract/problem.js';

interface ProblemKind {
  readonly status: number;
  readonly title: string;
  /** Seconds after which the client should retry. */
  readonly retryAfter?: number;
}

/** Every kind of error that clients see. Any other error is a bug: 500 without details. */
export const PROBLEMS: ReadonlyMap<string, ProblemKind> = new Map(
  Object.entries({
    'invalid-request': { status: 400, title: 'The request is not valid' },
    unauthorized: { status: 401, title: 'The token is missing or wrong' },
    forbidden: { status: 403, title: 'Requests from this site or host name are not allowed' },
    'unknown-goods': { status: 404, title: 'No such goods' },
    'unknown-strategy': { status: 404, title: 'No such strategy' },
    'unknown-order': { status: 404, title: 'No such order' },
    'sold-out': { status: 409, title: 'Sold out' },
    'order-refused': { status: 409, title: 'Redis accepted the order, and MySQL refused it' },
    'run-ended': { status: 409, title: 'The run has ended' },
    'idempotency-conflict': { status: 422, title: 'The key belongs to another request' },
    'too-many-requests': { status: 429, title: 'Too many requests' },
    'client-gone': { status: 499, title: 'The client hung up' },
    'lock-timeout': { status: 503, title: 'The lock was not free in time', retryAfter: 1 },
    'lock-lost': { status: 503, title: 'The lock was lost; nothing was written', retryAfter: 1 },
    busy: { status: 503, title: 'Too busy at the moment', retryAfter: 1 },
    'engine-unavailable': { status: 503, title: 'A server does not answer', retryAfter: 2 },
    'outcome-unknown': { status: 504, title: 'Unknown outcome: the order may exist' },
  } satisfies Record<ProblemType, ProblemKind>),
);

export function sendProblem(reply: FastifyReply, problem: Problem, retryAfter?: number): void {
  if (retryAfter !== undefined) void reply.header('retry-after', retryAfter);
  void reply
    .status(problem.status)
    .header('content-type', 'application/problem+json; charset=utf-8')
    .send(JSON.stringify(problem));
}

/** A problem of a known kind, or undefined when there is no such kind. */
export function problemOf(
  type: string,
  detail: string,
  members: object = {},
): [Problem, number | undefined] | undefined {
  const kind = PROBLEMS.get(type);
  if (!kind || !isProblemType(type)) return undefined;
  return [{ type, title: kind.title, status: kind.status, detail, ...members }, kind.retryAfter];
}

/** A problem that is only an HTTP status, such as 404 for a path that does not exist. */
export function statusProblem(status: number, detail?: string): Problem {
  const clientError = status >= 400 && status < 500 && status !== 404;
  const type: AnyProblemType = clientError ? 'invalid-request' : 'about:blank';
  return { type, title: STATUS_CODES[status] ?? 'Error', status, ...(detail !== undefined && { detail }) };
}

function isProblemType(type: string): type is ProblemType {
  return PROBLEMS.has(type);
}
