import { type Events } from './event-log.js';

/** A request that has passed the door: for POST, the token was right and the body is JSON. */
export interface LabRequest {
  /** What stood in the path where the route has `:name`: letters, digits, dashes, underscores, and dots within. */
  readonly params: Readonly<Record<string, string>>;
  /** The body of a POST; an empty one is `{}`. Whoever takes it checks it. */
  readonly body: unknown;
}

/** JSON, or a stream of events. */
export type LabAnswer = { readonly status: number; readonly json: unknown } | { readonly events: Events };

/** One call of the lab's API. Whatever has calls of its own hands in a list of these. */
export interface Route {
  readonly method: 'GET' | 'POST';
  /** Such as `/lab/runs/:id`. */
  readonly path: string;
  handle(request: LabRequest): LabAnswer | Promise<LabAnswer>;
}

export function json(content: unknown, status = 200): LabAnswer {
  return { status, json: content };
}
