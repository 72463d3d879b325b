import { isProblem } from '../../src/contract/guards.js';
import { type Problem } from '../../src/contract/problem.js';
import { type Guard } from './guards.js';

export type FailureKind =
  /** The server could not be reached. */
  | 'no-answer'
  /** The server answered with an error. */
  | 'refused'
  /** The server answered with something else than the contract says. */
  | 'not-understood';

/** Why a call failed. */
export class Failure extends Error {
  constructor(
    readonly kind: FailureKind,
    readonly path: string,
    /** 0 without an answer. */
    readonly status = 0,
    readonly problem: Partial<Problem> = {},
  ) {
    super(`${path}: ${kind}, status ${status}`);
  }
}

export interface Call {
  readonly body?: object;
  readonly token?: string | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** A gateway answers with these when the server behind it does not answer. */
const GATEWAY_ERRORS = new Set([502, 504]);

/** The answer of the server. It is checked only here: the rest of the page relies on the contract. */
export async function call<T>(path: string, guard: Guard<T>, options: Call = {}): Promise<T> {
  const response = await send(path, options).catch(() => {
    options.signal?.throwIfAborted();
    throw new Failure('no-answer', path);
  });
  const answer: unknown = await response.json().catch(() => undefined);
  const { ok, status } = response;
  if (!ok) {
    const kind = GATEWAY_ERRORS.has(status) ? 'no-answer' : 'refused';
    throw new Failure(kind, path, status, isProblem(answer) ? answer : {});
  }
  if (!guard(answer)) throw new Failure('not-understood', path, status);
  return answer;
}

function send(path: string, { body, token, signal }: Call): Promise<Response> {
  return fetch(path, {
    ...(body && { method: 'POST', body: JSON.stringify(body) }),
    headers: {
      ...(body && { 'content-type': 'application/json' }),
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
    },
    signal: signal ?? null,
  });
}
