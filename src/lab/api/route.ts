import { type Events } from './event-log.js';

/** A request that has passed the door: for POST, the token was right and the body is JSON. */
export interface LabRequest {
  /** What stood in the path where the route has `:name`: letters, digits, dashes and underscores only. */
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

/** Finds the route of a request; a path that is known under another method only is told apart. */
export class Router {
  private readonly routes: readonly { readonly route: Route; readonly pattern: RegExp }[];

  constructor(routes: readonly Route[]) {
    this.routes = routes.map((route) => ({ route, pattern: patternOf(route.path) }));
  }

  find(method: string, path: string): Found {
    const allowed: string[] = [];
    for (const { route, pattern } of this.routes) {
      const match = pattern.exec(path);
      if (!match) continue;
      if (route.method === method) return { route, params: { ...match.groups } };
      allowed.push(route.method);
    }
    return { allowed };
  }
}

type Found =
  | { readonly route: Route; readonly params: Readonly<Record<string, string>> }
  | { readonly route?: undefined; readonly allowed: readonly string[] };

function patternOf(path: string): RegExp {
  return new RegExp(`^${path.replaceAll(/:(\w+)/g, '(?<$1>[A-Za-z0-9_-]{1,64})')}$`);
}
