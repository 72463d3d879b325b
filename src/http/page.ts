import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import fastifyStatic from '@fastify/static';
import { type FastifyInstance } from 'fastify';

const PAGE = fileURLToPath(new URL('../../web/', import.meta.url));
const A_YEAR_S = 31_536_000;

/** Serves the page, if it was built: an instance without it still has its API. */
export async function servePage(server: FastifyInstance): Promise<void> {
  const index = join(PAGE, 'index.html');
  if (!existsSync(index)) return;
  const policy = pagePolicy(readFileSync(index, 'utf8'));
  await server.register(fastifyStatic, {
    root: PAGE,
    cacheControl: false,
    setHeaders: (reply, path) => {
      // A library's version is in its address. Everything else is revalidated, and mostly answered with 304.
      const kept = path.startsWith(join(PAGE, 'vendor/'));
      void reply.header('cache-control', kept ? `public, max-age=${A_YEAR_S}, immutable` : 'no-cache');
      void reply.header('content-security-policy', policy);
    },
  });
}

/** Stricter than the policy of /docs: nothing inline but the import map, nothing from other origins. See docs/adr/0015. */
export function pagePolicy(html: string): string {
  const inline = [...html.matchAll(/<script type="importmap">([^<]*)<\/script>/g)].map(
    ([, text = '']) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`,
  );
  return [
    "default-src 'none'",
    ['script-src', "'self'", ...inline].join(' '),
    "style-src 'self'",
    "img-src 'self'",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ');
}
