type Problem = Readonly<Record<string, unknown>>;

/** Why there is no result: the server could not be reached, or it refused the request. */
export type FailureKind = 'no-answer' | 'refused';

export class Failure extends Error {
  constructor(
    readonly kind: FailureKind,
    /** 0 where there was no answer. */
    readonly status = 0,
    /** The server's own words, as RFC 9457 has them. */
    readonly problem: Problem = {},
  ) {
    super(`${kind} ${status}`);
  }
}

export interface Call {
  readonly body?: object;
  readonly token?: string | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** A gateway answers with these when the server behind it does not. */
const GATEWAY = new Set([502, 504]);

export async function call(path: string, { body, token, signal }: Call = {}): Promise<unknown> {
  const response = await fetch(path, {
    ...(body && { method: 'POST', body: JSON.stringify(body) }),
    headers: {
      ...(body && { 'content-type': 'application/json' }),
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
    },
    signal: signal ?? null,
  }).catch(() => {
    signal?.throwIfAborted();
    throw new Failure('no-answer');
  });
  const answer: unknown = await response.json().catch(() => null);
  if (response.ok) return answer;
  const kind = GATEWAY.has(response.status) ? 'no-answer' : 'refused';
  throw new Failure(kind, response.status, isRecord(answer) ? answer : {});
}

const isRecord = (value: unknown): value is Problem =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
