import helmet from '@fastify/helmet';
import fastify, { type FastifyInstance } from 'fastify';
import { SECURITY_HEADERS, sendSecurityHeaders } from '../../src/http/security-headers.js';

/** What every answer of a server has that was given `add`, and that of a bare one has not. */
async function headersOf(add: (server: FastifyInstance) => unknown): Promise<Record<string, string>> {
  const usual = await answerOf(() => undefined);
  return Object.fromEntries([...(await answerOf(add))].filter(([name]) => !usual.has(name)));
}

async function answerOf(add: (server: FastifyInstance) => unknown): Promise<Headers> {
  const server = fastify();
  await add(server);
  const url = await server.listen({ host: '127.0.0.1', port: 0 });
  try {
    return (await fetch(url)).headers;
  } finally {
    await server.close();
  }
}

test('the security headers are those of helmet', async () => {
  const directives = {
    upgradeInsecureRequests: null,
    fontSrc: ["'self'"],
    styleSrc: ["'self'", "'unsafe-inline'"],
  };
  const helmets = await headersOf((server) =>
    server.register(helmet, { hsts: false, contentSecurityPolicy: { directives } }),
  );
  expect(helmets).toHaveProperty('content-security-policy');
  expect(await headersOf(sendSecurityHeaders)).toEqual(helmets);
  expect(SECURITY_HEADERS).toEqual(helmets);
});
