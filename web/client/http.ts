import { texts } from '../core/language.js';

/** Any answer but success, as a sentence. Status 0: there was no answer, or none that could be read. */
export class Failure extends Error {
  constructor(
    message: string,
    readonly status = 0,
    readonly type = '',
    readonly problem: Readonly<Record<string, unknown>> = {},
  ) {
    super(message);
  }
}

export interface Call {
  readonly body?: object;
  readonly token?: string | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** The page and the server come from the same build, so the shape of a success is taken on trust by the callers. */
export async function call(path: string, { body, token, signal }: Call = {}): Promise<unknown> {
  const response = await fetch(path, {
    ...(body && { method: 'POST', body: JSON.stringify(body) }),
    headers: {
      ...(body && { 'content-type': 'application/json' }),
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
    },
    signal: signal ?? null,
  }).catch((error: unknown) => {
    signal?.throwIfAborted();
    throw new Failure(texts().errors.noAnswer, 0, error instanceof Error ? error.name : '');
  });
  const answer: unknown = await response.json().catch(() => null);
  const problem = isRecord(answer) ? answer : {};
  if (response.ok) return answer;
  throw new Failure(
    sentence(response.status, problem),
    response.status,
    typeof problem['type'] === 'string' ? problem['type'] : '',
    problem,
  );
}

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The server's own words, but where they are meant for programs rather than for visitors. */
function sentence(status: number, { detail, title }: Readonly<Record<string, unknown>>): string {
  const { errors } = texts();
  if (status === 401) return errors.wrongToken;
  if (status === 429) return errors.tooMany;
  if (status === 502 || status === 504) return errors.noAnswer;
  if (typeof detail === 'string') return detail;
  if (typeof title === 'string') return title;
  return errors.status(status);
}
