import { type FastifyInstance } from 'fastify';

interface Route {
  readonly path: RegExp;
  readonly methods: Set<string>;
}

/** The methods of each path: Fastify answers 404 where the path exists and only the method is wrong. */
export class AllowedMethods {
  private readonly routes = new Map<string, Route>();

  /** Must be called before the routes are added. */
  watch(server: FastifyInstance): void {
    server.addHook('onRoute', ({ url, method }) => {
      // A wildcard, such as that of the page's files, does not say that a path exists.
      if (url.includes('*')) return;
      const route = this.routes.get(url) ?? { path: pattern(url), methods: new Set() };
      for (const one of [method].flat()) route.methods.add(one);
      this.routes.set(url, route);
    });
  }

  /** Empty for a path that does not exist. */
  of(url: string): string[] {
    const [path = ''] = url.split('?');
    const found = [...this.routes.values()].filter((route) => route.path.test(path));
    return [...new Set(found.flatMap(({ methods }) => [...methods]))].sort();
  }
}

/** A segment with a colon matches any text; all others are fixed. */
function pattern(url: string): RegExp {
  const parts = url
    .split('/')
    .map((part) => (part.startsWith(':') ? '[^/]+' : part.replace(/[^\w-]/g, '\\$&')));
  return new RegExp(`^${parts.join('/')}/?$`);
}
