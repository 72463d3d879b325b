import fastify, { type FastifyInstance } from 'fastify';
import { refuseWhenOverloaded } from '../src/http/overload.js';

let server: FastifyInstance;
let url: string;
let sold = 0;

beforeEach(async () => {
  sold = 0;
  server = fastify();
  await refuseWhenOverloaded(server, 1);
  // As in an instance: with an onSend hook, an answer is not sent yet when the next step begins.
  server.addHook('onSend', () => Promise.resolve());
  server.post('/goods/1/deduct/for-update', () => ({ remaining: (sold += 1) }));
  // As @fastify/static does for the page.
  server.get('/*', () => 'a file of the page');
  server.get('/health/live', () => ({ status: 'ok' }));
  url = await server.listen({ host: '127.0.0.1', port: 0 });
});
afterEach(() => server.close());

/** Blocks the event loop until the server has measured the delay. */
async function overload(): Promise<void> {
  const giveUpAt = performance.now() + 30_000;
  while (!server.isUnderPressure()) {
    if (performance.now() > giveUpAt) throw new Error('the server has not noticed');
    const until = performance.now() + 100;
    while (performance.now() < until);
    await new Promise(setImmediate);
  }
}

const buy = () => fetch(`${url}/goods/1/deduct/for-update`, { method: 'POST' });

test('an overloaded instance does not sell what it refuses', async () => {
  expect(await (await buy()).json()).toEqual({ remaining: 1 });
  await overload();
  const refused = await buy();
  expect(refused.status).toBe(503);
  expect(refused.headers.get('content-type')).toMatch('application/problem+json');
  expect(refused.headers.get('retry-after')).toBe('1');
  expect(await refused.json()).toMatchObject({ type: 'busy', status: 503 });
  expect(sold).toBe(1);
});

test('an overloaded instance still answers the liveness probe', async () => {
  await overload();
  const alive = await fetch(`${url}/health/live`);
  expect([alive.status, await alive.json()]).toEqual([200, { status: 'ok' }]);
});

test('an overloaded instance still serves the page', async () => {
  await overload();
  const file = await fetch(`${url}/vendor/preact.js`);
  expect([file.status, await file.text()]).toEqual([200, 'a file of the page']);
});
