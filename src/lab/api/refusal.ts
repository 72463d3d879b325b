import { STATUS_CODES } from 'node:http';
import { type AnyProblemType, type Problem } from '../../contract/problem.js';

/** An answer that is an error, as problem+json. Its detail is for the client: no path, no stack. */
export class Refusal extends Error {
  constructor(
    readonly status: number,
    readonly type: AnyProblemType,
    detail: string,
    private readonly members: Readonly<Record<string, unknown>> = {},
    readonly headers: Readonly<Record<string, string>> = {},
  ) {
    super(detail);
  }

  get problem(): Problem {
    const { type, status, message: detail } = this;
    return { type, title: STATUS_CODES[status] ?? 'Error', status, detail, ...this.members };
  }
}

export function invalid(detail: string): Refusal {
  return new Refusal(400, 'invalid-request', detail);
}
