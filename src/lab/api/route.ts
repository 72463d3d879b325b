import { type Events } from './event-log.js';

/** A request that `Access` has allowed: for POST, the token is right and the body is JSON. */
export interface LabRequest {
  /** The values of `:name` in the path: letters, digits, dashes, underscores, and dots inside. */
  readonly params: Readonly<Record<string, string>>;
  /** The body of a POST; an empty one is `{}`. The handler checks it. */
  readonly body: unknown;
}

/** JSON, or a stream of events. */
export type LabAnswer = { readonly status: number; readonly json: unknown } | { readonly events: Events };

/** One call of the lab's API. */
export interface Route {
  readonly method: 'GET' | 'POST';
  /** Such as `/lab/runs/:id`. */
  readonly path: string;
  handle(request: LabRequest): LabAnswer | Promise<LabAnswer>;
}

export function json(content: unknown, status = 200): LabAnswer {
  return { status, json: content };
}
