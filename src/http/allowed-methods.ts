import { type FastifyInstance } from 'fastify';

interface Route {
  readonly path: RegExp;
  readonly methods: Set<string>;
}

/** Which methods a path takes: Fastify answers 404 where the path is right and only the method is wrong. */
export class AllowedMethods {
  private readonly routes = new Map<string, Route>();

  /** Must come before the routes do. */
  watch(server: FastifyInstance): void {
    server.addHook('onRoute', ({ url, method }) => {
      // A wildcard, such as that of the page's files, is a path that might be, not one that is.
      if (url.includes('*')) return;
      const route = this.routes.get(url) ?? { path: pattern(url), methods: new Set() };
      for (const one of [method].flat()) route.methods.add(one);
      this.routes.set(url, route);
    });
  }

  /** Empty where nothing is. */
  of(url: string): string[] {
    const [path = ''] = url.split('?');
    const found = [...this.routes.values()].filter((route) => route.path.test(path));
    return [...new Set(found.flatMap(({ methods }) => [...methods]))].sort();
  }
}

/** The names between the slashes are fixed, those with a colon are anything. */
function pattern(url: string): RegExp {
  const parts = url
    .split('/')
    .map((part) => (part.startsWith(':') ? '[^/]+' : part.replace(/[^\w-]/g, '\\$&')));
  return new RegExp(`^${parts.join('/')}/?$`);
}
