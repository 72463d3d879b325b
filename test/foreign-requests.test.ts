import { readFileSync } from 'node:fs';
import { request as startRequest } from 'node:http';
import { eventually } from './support/eventually.js';
import { request, sendRaw } from './support/raw-http.js';
import { TestShop } from './support/test-shop.js';

let shop: TestShop;
beforeAll(async () => {
  shop = await TestShop.open({ instances: 1, env: { ALLOWED_HOSTS: 'shop.example' } });
});
afterAll(() => shop.close());

const SALE = '/goods/1/deduct/sql-atomic';

interface Told {
  readonly status: number;
  readonly type: string;
  readonly retryAfter: string | undefined;
}

/** Sends any Host, Origin and source address, which fetch cannot do. */
function post(path: string, headers: Record<string, string>, body = '{"quantity":1}', from = '127.0.0.1') {
  const { hostname, port } = new URL(shop.url);
  return new Promise<Told>((resolve, reject) => {
    const sent = startRequest(
      { hostname, port, path, method: 'POST', localAddress: from, agent: false, headers },
      (answer) => {
        let text = '';
        answer.on('data', (chunk) => (text += String(chunk)));
        answer.on('end', () => {
          const { type = '' } = JSON.parse(text) as { type?: string };
          resolve({ status: answer.statusCode ?? 0, type, retryAfter: answer.headers['retry-after'] });
        });
      },
    );
    sent.on('error', reject);
    sent.end(body);
  });
}

const JSON_BODY = { 'content-type': 'application/json' };

describe('a request of another site', () => {
  test.each([
    ['a page of another site', { ...JSON_BODY, origin: 'http://evil.example' }, 403, 'forbidden'],
    ['a page without an address', { ...JSON_BODY, origin: 'null' }, 403, 'forbidden'],
    ['a name that was made to point here', { ...JSON_BODY, host: 'evil.example' }, 403, 'forbidden'],
    ['a form', { 'content-type': 'application/x-www-form-urlencoded' }, 415, 'invalid-request'],
    ['text that looks like JSON', { 'content-type': 'text/plain' }, 415, 'invalid-request'],
    ['no type', {}, 415, 'invalid-request'],
  ])('%s sells nothing', async (_, headers, status, type) => {
    await shop.reset(1, 10);
    expect(await post(SALE, headers)).toMatchObject({ status, type });
    expect(await post(SALE, headers, '')).toMatchObject({ status, type });
    expect(await post('/orders/1/cancel', headers, '')).toMatchObject({ status, type });
    expect(await shop.audit(1)).toMatchObject({ sold: 0 });
  });

  test('cannot read', async () => {
    const { url } = shop;
    expect((await sendRaw(url, request('GET /goods HTTP/1.1', 'evil.example'))).status).toBe(403);
    const foreign = request('GET /goods HTTP/1.1', 'localhost', 'Origin: http://evil.example');
    expect((await sendRaw(url, foreign)).status).toBe(403);
  });
});

test('the shop’s own page, a name in ALLOWED_HOSTS, and a client that is not a browser are served', async () => {
  const { host } = new URL(shop.url);
  for (const headers of [{}, { origin: shop.url }, { host: 'shop.example', origin: 'https://shop.example' }])
    expect(await post(SALE, { ...JSON_BODY, host, ...headers })).toMatchObject({ status: 200 });
});

test('a health check may use any host name', async () => {
  const [instance = ''] = shop.shop.instanceUrls;
  expect((await sendRaw(instance, request('GET /health/ready HTTP/1.1', '10.1.2.3:3000'))).status).toBe(200);
});

test('the log has the client’s address as the gateway sees it, and no query string', async () => {
  await post(`${SALE}?secret=hidden`, { ...JSON_BODY, 'x-forwarded-for': '6.6.6.6' }, undefined, '127.0.0.9');
  const log = () => readFileSync(shop.folder.in('logs/instance-1.log'), 'utf8');
  await eventually('the line is written', () => log().includes('"client":"127.0.0.9"'));
  expect(log()).toMatch(/"path":"\/goods\/1\/deduct\/sql-atomic","client":"127\.0\.0\.9"/);
  expect(log()).not.toMatch(/hidden|6\.6\.6\.6/);
});

test('a client that guesses the admin token is slowed down, and no other client is', async () => {
  const reset = (token: string, from: string) =>
    post('/goods/2/reset', { ...JSON_BODY, authorization: `Bearer ${token}` }, '{"inventory":5}', from);
  const right = shop.shop.adminToken;
  let answer = await reset('wrong', '127.0.0.7');
  for (let guesses = 1; answer.status === 401 && guesses < 50; guesses += 1)
    answer = await reset(`wrong-${guesses}`, '127.0.0.7');
  expect(answer).toMatchObject({ status: 429, type: 'too-many-requests' });
  expect(Number(answer.retryAfter)).toBeGreaterThan(0);
  // The correct token is not even compared, so this answer is no different.
  expect(await reset(right, '127.0.0.7')).toMatchObject({ status: 429 });
  expect(await reset(right, '127.0.0.8')).toMatchObject({ status: 200 });
  // The client can still buy, and the secrets of its receipts still work.
  expect(await post(SALE, JSON_BODY, undefined, '127.0.0.7')).toMatchObject({ status: 200 });
});
